import { KeptCurrent } from '../../core/kept-current.js';
import type { Signals } from '../../core/signals.js';
import { type HeldSecret, openSecrets, secretsAt } from '../../core/webhooks/webhook-secrets.js';
import { everyWebhook, type Webhook, webhooksMark } from '../../core/webhooks/webhooks.js';
import type { Database } from '../../database/database.js';
import { clock } from '../../database/tx.js';
import type { Connection } from '../../plugin/index.js';
import type { ArrivedRequest } from '../arrived-request.js';
import type { EventSource } from '../event-source.js';
import { type RefusedRequest, refusedRequest } from './refused-request.js';

/** What makes a source of events of a custom webhook. */
export interface WebhookPlace {
  optionsOf(webhook: Webhook): object;
  /** Null: the plugin that understands custom webhooks is not loaded. */
  sourceOf(connection: Connection): EventSource | null;
  /** The configuration has a connection of this name, which goes before. */
  isConfigured(org: string, source: string): boolean;
}

export interface WebhookReports {
  /** Its events are refused: its secrets cannot be opened, or its address is that of a connection. */
  unusable(webhook: Webhook, reason: string): void;
  /** What is known stays what it was; it is tried again. */
  failed(reason: string): void;
}

interface Entry {
  readonly webhook: Webhook;
  readonly connection: Connection;
  readonly held: readonly HeldSecret[];
  /** Null: it takes no events. */
  readonly source: EventSource | null;
  readonly refused: RefusedRequest[];
}

/** The latest refusals of each that this process remembers. */
const MOST_REFUSED = 10;

/**
 * The custom webhooks of all organisations as sources of events, in memory. They are read anew when this process or another one says that
 * some have changed, and looked for behind that, by one figure of the store.
 */
export class WebhookRegistry extends KeptCurrent {
  private entries: ReadonlyMap<string, Entry> = new Map();
  private places: ReadonlyMap<string, Entry> = new Map();
  private mark = '';
  private offsetMs = 0;

  constructor(
    private readonly database: Database,
    signals: Signals,
    private readonly key: Buffer,
    private readonly place: WebhookPlace,
    private readonly reports: WebhookReports,
  ) {
    super(signals, 'webhooks');
  }

  /** Null: there is none at this address that takes events. */
  find(org: string, source: string): EventSource | null {
    return this.places.size === 0 ? null : (this.places.get(placeText(org, source))?.source ?? null);
  }

  /** Also that of one which takes no events any more: what it has accepted goes on. */
  connection(org: string, source: string): Connection | null {
    return this.places.size === 0 ? null : (this.places.get(placeText(org, source))?.connection ?? null);
  }

  /** Of this one; null: it takes no events. */
  taking(id: string): EventSource | null {
    return this.entries.get(id)?.source ?? null;
  }

  /** The latest requests that this process has refused for their signatures, newest first. */
  refused(id: string): readonly RefusedRequest[] {
    return this.entries.get(id)?.refused.toReversed() ?? [];
  }

  /** Until when each of its secrets is good, newest first; null: as long as there is no other. */
  untils(id: string): readonly (number | null)[] {
    const now = this.now();
    return (this.entries.get(id)?.held ?? []).map(({ until }) => until).filter((until) => until === null || now < until);
  }

  protected failed(reason: string): void {
    this.reports.failed(reason);
  }

  protected async load(): Promise<void> {
    const { mark, found, now } = await this.database.transaction(async (tx) => {
      const latest = await webhooksMark(tx);
      return { mark: latest, found: latest === this.mark ? null : await everyWebhook(tx), now: await clock(tx) };
    });
    this.offsetMs = now - Date.now();
    if (found === null) return;
    // What did not change is kept with what was compiled for it.
    const entries = found.map((webhook) => {
      const known = this.entries.get(webhook.id);
      return known?.webhook.revision === webhook.revision ? known : this.entryOf(webhook, known?.refused ?? []);
    });
    this.entries = new Map(entries.map((entry) => [entry.webhook.id, entry]));
    this.places = new Map(entries.map((entry) => [placeText(entry.webhook.org, entry.webhook.source), entry]));
    this.mark = mark;
  }

  private entryOf(webhook: Webhook, refused: RefusedRequest[]): Entry {
    const { org, source: name } = webhook;
    const held = webhook.deletedAt === null ? this.opened(webhook) : [];
    const now = () => this.now();
    const connection: Connection = {
      ...{ org, name, source: 'public', options: this.place.optionsOf(webhook) },
      get secrets() {
        return secretsAt(held, now());
      },
    };
    const source = webhook.isEnabled && held.length > 0 && !this.isHidden(webhook) ? this.place.sourceOf(connection) : null;
    return { webhook, connection, held, refused, source: source && { ...source, refused: this.noteIn(refused, source) } };
  }

  /** The configuration goes before. */
  private isHidden(webhook: Webhook): boolean {
    if (!this.place.isConfigured(webhook.org, webhook.source)) return false;
    this.reports.unusable(webhook, 'the configuration has a connection of this name, which gets what is sent to it');
    return true;
  }

  private opened(webhook: Webhook): readonly HeldSecret[] {
    try {
      return openSecrets(this.key, webhook.id, webhook.secrets);
    } catch (error) {
      this.reports.unusable(webhook, error instanceof Error ? error.message : String(error));
      return [];
    }
  }

  private noteIn(refused: RefusedRequest[], { transport, connection }: EventSource) {
    const scheme = transport.signature(connection);
    return (request: ArrivedRequest, code: string): void => {
      if ('verify' in scheme) return;
      refused.push(refusedRequest(scheme, request, code, Math.round(this.now())));
      if (refused.length > MOST_REFUSED) refused.shift();
    };
  }

  /** By the database's clock. */
  private now(): number {
    return Date.now() + this.offsetMs;
  }
}

function placeText(org: string, source: string): string {
  return `${org}/${source}`;
}
