import { timingSafeEqual } from 'node:crypto';
import { ConfigFault } from '../../plugin/index.js';
import { SHORTEST_TOKEN, secretHash } from './secret.js';

/** The token of the environment: admin of every organisation. Only its hash is kept. */
export class AdminAccess {
  private constructor(private readonly hash: Buffer | null) {}

  /** Throws `ConfigFault` for a token that is too short to be one. */
  static from(environment: Readonly<Record<string, string | undefined>>): AdminAccess {
    const token = environment['THROUGHLINE_ADMIN_TOKEN'];
    if (token === undefined || token === '') return new AdminAccess(null);
    if (token.length < SHORTEST_TOKEN || /\s/.test(token))
      throw new ConfigFault(`THROUGHLINE_ADMIN_TOKEN must be at least ${SHORTEST_TOKEN} characters long and without spaces`);
    return new AdminAccess(secretHash(token));
  }

  get isConfigured(): boolean {
    return this.hash !== null;
  }

  accepts(hash: Buffer): boolean {
    return this.hash !== null && timingSafeEqual(this.hash, hash);
  }
}
