import { randomUUID } from 'node:crypto';
import type { Database } from '../../database/database.js';
import { clock, type Tx } from '../../database/tx.js';
import { Conflict, type Fault, InvalidInput, NotFound } from '../../plugin/index.js';
import { pendingAudit } from '../audit/pending-audit.js';
import { audited } from '../audited.js';
import type { Signals } from '../signals.js';
import { openSecrets, rotated, sealSecrets } from './webhook-secrets.js';
import { amendedSettings, type WebhookSettings } from './webhook-settings.js';
import { deleteWebhook, findWebhookAt, forgetWebhooks, insertWebhook, lockWebhook, saveWebhook, type Webhook } from './webhooks.js';

/** What custom webhooks lean on that is not theirs. */
export abstract class WebhookWorld {
  /** What is wrong with settings, each fault by its field. */
  abstract settingsFaults(settings: WebhookSettings): readonly Fault[];
  /** Why nothing can be proved with this secret; null: something can. */
  abstract secretFault(settings: WebhookSettings, secret: string): string | null;
  /** A secret of our own; null: the scheme wants one that only the sender can make. */
  abstract newSecret(settings: WebhookSettings): string | null;
  /** What else the last part of the address stands for already; null: nothing. */
  abstract otherSource(org: string, source: string): string | null;
}

/** A custom webhook with a secret that is told this once; null: it has the one that it had. */
export interface Told {
  readonly webhook: Webhook;
  readonly secret: string;
}

export interface MadeWebhook {
  readonly name: string;
  readonly source: string;
  readonly isEnabled: boolean;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly secret: string | null;
}

export interface WebhookChange {
  readonly name: string | null;
  readonly isEnabled: boolean | null;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** As long as receipts are kept. */
const REMEMBERED_MS = 90 * 86_400_000;

class InvalidWebhook extends InvalidInput {
  override readonly code = 'invalid_webhook';
  override readonly status = 422;
}

/** What people do with custom webhooks. Each throws `NotFound`, `Conflict` or `InvalidInput` with every fault. */
export class WebhookDesk {
  constructor(
    private readonly database: Database,
    private readonly signals: Signals,
    private readonly key: Buffer,
    private readonly world: WebhookWorld,
  ) {}

  async create(org: string, made: MadeWebhook): Promise<Told> {
    const settings = amendedSettings({}, made.settings);
    this.check(settings);
    const secret = this.secretFor(settings, made.secret);
    const { name, source, isEnabled } = made;
    const other = this.world.otherSource(org, source);
    if (other !== null) throw new Conflict(`\`${source}\` is the name of ${other}; take another one`);
    const id = randomUUID();
    const secrets = sealSecrets(this.key, id, [{ secret, until: null }]);
    const webhook = await this.write(async (tx) => {
      if (!(await insertWebhook(tx, { id, org, name, source, settings, secrets, isEnabled }))) {
        const taken = await findWebhookAt(tx, org, source);
        throw new Conflict(`\`${source}\` is the source of another webhook of the organisation${taken === null ? '' : `: ${taken.id}`}`);
      }
      pendingAudit()?.nameTarget(id);
      return locked(tx, org, id);
    });
    return { webhook, secret };
  }

  /** Only what is given changes. */
  amend(org: string, id: string, { name, isEnabled, settings }: WebhookChange): Promise<Webhook> {
    return this.write(async (tx) => {
      const found = await locked(tx, org, id);
      const changed = amendedSettings(found.settings, settings);
      this.check(changed);
      this.checkSecret(changed, openSecrets(this.key, id, found.secrets)[0]?.secret ?? '');
      await saveWebhook(tx, { ...found, name: name ?? found.name, isEnabled: isEnabled ?? found.isEnabled, settings: changed });
      return locked(tx, org, id);
    });
  }

  /** The secret before it stays good for `overlapMs`. */
  async rotate(org: string, id: string, given: string | null, overlapMs: number): Promise<Told> {
    let secret = '';
    const webhook = await this.write(async (tx) => {
      const found = await locked(tx, org, id);
      secret = this.secretFor(found.settings, given);
      const held = openSecrets(this.key, id, found.secrets);
      if (held[0]?.secret === secret) throw new Conflict('this is the secret that it has');
      const until = overlapMs === 0 ? null : (await clock(tx)) + overlapMs;
      await saveWebhook(tx, { ...found, secrets: sealSecrets(this.key, id, rotated(held, secret, until)) });
      return locked(tx, org, id);
    });
    return { webhook, secret };
  }

  async remove(org: string, id: string): Promise<void> {
    await this.write(async (tx) => {
      if (!(await deleteWebhook(tx, org, id))) throw unknown(id);
      await forgetWebhooks(tx, REMEMBERED_MS);
    });
  }

  private check(settings: WebhookSettings): void {
    const faults = this.world.settingsFaults(settings);
    if (faults.length === 0) return;
    const told = faults.map(({ path, message }) => `${path} ${message}`).join('; ');
    throw new InvalidWebhook(`The webhook is not right: ${told}.`, faults);
  }

  private secretFor(settings: WebhookSettings, given: string | null): string {
    const secret = given ?? this.world.newSecret(settings);
    if (secret === null)
      throw refused('webhook_secret', 'is needed: by this scheme the sender signs with a private key, and gives you the public one');
    this.checkSecret(settings, secret);
    return secret;
  }

  private checkSecret(settings: WebhookSettings, secret: string): void {
    const fault = this.world.secretFault(settings, secret);
    if (fault !== null) throw refused('webhook_secret', fault);
  }

  private async write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const result = await audited(this.database, work);
    this.signals.emit('webhooks');
    return result;
  }
}

async function locked(tx: Tx, org: string, id: string): Promise<Webhook> {
  const found = await lockWebhook(tx, org, id);
  if (found === null) throw unknown(id);
  return found;
}

function unknown(id: string): NotFound {
  return new NotFound(`There is no webhook ${id}.`);
}

function refused(path: string, message: string): InvalidInput {
  return new InvalidWebhook(`${path} ${message}`, [{ path, message }]);
}
