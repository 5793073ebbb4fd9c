import type { Database } from '../../database/database.js';
import { clock } from '../../database/tx.js';
import type { Connection, EffectReader, Evidence, UnknownEffect } from '../../plugin/index.js';
import type { EffectLedger } from './effect-ledger.js';
import { type EffectRow, readAgain, takeUnread } from './effects.js';
import { FIRST_READ_MS } from './end-effect.js';
import { requestHash } from './evidence.js';

/** Where the outcome of an effect can be read; null: nowhere. */
export type FindReader = (effect: EffectRow) => { readonly reader: EffectReader; readonly connection: Connection } | null;

const MINUTE = 60_000;

export interface ReadingTimes {
  readonly pollMs: number;
  /** One reading takes no longer. */
  readonly timeoutMs: number;
  /** Before this long after the attempt, no absence is believed: the write may still be on its way. */
  readonly settledMs: number;
  readonly longestBackoffMs: number;
}

export const READING_TIMES: ReadingTimes = { pollMs: 5000, timeoutMs: MINUTE / 2, settledMs: MINUTE, longestBackoffMs: 60 * MINUTE };

/** Asks providers what became of effects whose outcome is unknown: one at a time, each by one replica, less often the longer it takes. */
export class EffectReading {
  private timer: NodeJS.Timeout | null = null;
  private reading: Promise<void> | null = null;
  private readonly end = new AbortController();

  constructor(
    private readonly database: Database,
    private readonly ledger: EffectLedger,
    private readonly readerOf: FindReader,
    private readonly key: Buffer,
    private readonly onFault: (message: string) => void,
    private readonly times: ReadingTimes = READING_TIMES,
  ) {}

  start(): void {
    this.timer = setInterval(() => this.look(), this.times.pollMs);
  }

  async stop(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    this.end.abort();
    await this.reading;
  }

  /** Reads what is due, now instead of at the next look. */
  look(): void {
    this.reading ??= this.readDue()
      .catch((error: Error) => this.onFault(`cannot look for effects of unknown outcome: ${error.message}`))
      .finally(() => {
        this.reading = null;
      });
  }

  private async readDue(): Promise<void> {
    while (!this.end.signal.aborted && (await this.readOne()));
  }

  /** False: none is due. */
  async readOne(): Promise<boolean> {
    const { timeoutMs } = this.times;
    const effect = await this.database.transaction((tx) => takeUnread(tx, 2 * timeoutMs));
    if (effect === null) return false;
    const found = await this.read(effect);
    if (found === 'unknown') await this.database.transaction((tx) => readAgain(tx, effect.id, this.backoffMs(effect), effect.reads + 1));
    else if (found === 'absent') await this.disprove(effect);
    else await this.ledger.found(effect.id, { is: 'present', evidence: found }, 'reader', 'found at the provider');
    return true;
  }

  private async read(effect: EffectRow): Promise<Evidence | 'absent' | 'unknown'> {
    const source = this.readerOf(effect);
    if (source === null) return 'unknown';
    const signal = AbortSignal.any([this.end.signal, AbortSignal.timeout(this.times.timeoutMs)]);
    const over = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(new Error('it took too long')), { once: true });
    });
    try {
      const found = await Promise.race([source.reader.find(this.asUnknown(effect, source.connection), signal), over]);
      const isUnplaced = typeof found === 'object' && effect.namespace === null && found.subject === undefined;
      return isUnplaced ? 'unknown' : found;
    } catch (error) {
      this.onFault(`effect ${effect.id}: cannot read at ${effect.source} what became of it: ${(error as Error).message}`);
      return 'unknown';
    }
  }

  private async disprove(effect: EffectRow): Promise<void> {
    const { settledMs } = this.times;
    const early = await this.database.transaction(async (tx) => {
      const wait = (effect.executing_at ?? 0) + settledMs - (await clock(tx));
      if (wait > 0) await readAgain(tx, effect.id, wait, effect.reads + 1);
      return wait > 0;
    });
    if (!early) await this.ledger.found(effect.id, { is: 'absent', reason: 'not_found' }, 'reader', 'not found at the provider');
  }

  /** The first time soon, then ever more seldom; where nobody can read, there may be a reader after the next start. */
  private backoffMs({ reads }: EffectRow): number {
    return Math.min(FIRST_READ_MS * 2 ** reads, this.times.longestBackoffMs);
  }

  private asUnknown(effect: EffectRow, connection: Connection): UnknownEffect {
    const { tool, account, kind, action, namespace, key, marker, request, executing_at } = effect;
    const subject = namespace !== null && key !== null ? { namespace, key } : null;
    return {
      ...{ connection, tool, scope: { account, kind, action, subject }, marker },
      attemptedAt: new Date(executing_at ?? 0).toISOString(),
      isInput: (input) => requestHash(this.key, tool, input).equals(request),
    };
  }
}
