import { Inject, Injectable } from '@nestjs/common';
import { findActiveToken } from '../../core/tokens/tokens.js';
import { Database } from '../../database/database.js';
import { NotFound } from '../../plugin/index.js';
import { Unauthenticated } from '../errors.js';
import { HostView } from '../host-view.js';
import { reading } from '../http/reading.js';
import { AdminAccess } from './admin-access.js';
import type { Caller } from './caller.js';
import { homeOrg } from './home-org.js';
import { secretHash } from './secret.js';

const BEARER = /^Bearer +([\x21-\x7e]{1,512})$/i;

/** Knows whom a bearer token belongs to. */
@Injectable()
export class Callers {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(AdminAccess) private readonly access: AdminAccess,
    @Inject(HostView) private readonly host: HostView,
  ) {}

  /** `org`: the organisation that was asked for. Throws `Unauthenticated`, and `NotFound` for an organisation that is not the caller's. */
  async identify(authorization: string | undefined, org: string | null): Promise<Caller> {
    const [, token] = BEARER.exec(authorization ?? '') ?? [];
    if (token === undefined)
      throw new Unauthenticated('Send a token as `Authorization: Bearer <token>`; `throughline token create` makes one.');
    const hash = secretHash(token);
    if (this.access.accepts(hash)) return { actor: 'environment', org: this.known(org ?? homeOrg(this.host.orgs())), role: 'admin' };
    const row = await reading(this.database, (tx) => findActiveToken(tx, hash));
    if (row === null) throw new Unauthenticated('This token is not known, or was revoked.');
    if (org !== null && org !== row.org) throw noOrganisation();
    return { actor: `token:${row.id} (${row.name})`, org: row.org, role: row.role };
  }

  private known(org: string): string {
    if (!this.host.orgs().includes(org)) throw noOrganisation();
    return org;
  }
}

function noOrganisation(): NotFound {
  return new NotFound('There is no such organisation for this token.');
}
