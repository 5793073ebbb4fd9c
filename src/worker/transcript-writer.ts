import { storable } from '../core/storable.js';
import { appendTranscript, type TranscriptEntry } from '../core/turns/turns.js';
import type { Database } from '../database/database.js';
import type { TurnEvent } from '../plugin/index.js';

const FLUSH_MS = 250;
const FLUSH_CHARACTERS = 16 * 1024;
const ENTRY_CHARACTERS = 256 * 1024;

/** Keeps what a turn says while it says it, in small batches, so that the turn's end has nothing left to write. */
export class TranscriptWriter {
  private waiting: TranscriptEntry[] = [];
  private size = 0;
  private number = 0;
  private timer: NodeJS.Timeout | null = null;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly turn: { readonly conversation: string; readonly token: number; readonly owner: number },
    private readonly now: () => number,
    private readonly onWritten: () => void,
  ) {}

  add(event: Exclude<TurnEvent, { type: 'process' | 'session' | 'result' }>): void {
    const { type, ...said } = event;
    const body = storable(JSON.stringify(said), ENTRY_CHARACTERS);
    this.waiting.push({ number: this.number++, at: this.now(), kind: type, body });
    this.size += body.length;
    if (this.size >= FLUSH_CHARACTERS) void this.flush();
    else this.timer ??= setTimeout(() => void this.flush(), FLUSH_MS);
  }

  /** Resolves when all that was added is stored. A transcript that cannot be stored never fails its turn. */
  flush(): Promise<void> {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    const entries = this.waiting;
    this.waiting = [];
    this.size = 0;
    if (entries.length > 0) this.writing = this.writing.then(() => this.write(entries));
    return this.writing;
  }

  private async write(entries: readonly TranscriptEntry[]): Promise<void> {
    const isOurs = await this.database.transaction((tx) => appendTranscript(tx, this.turn, entries)).catch(() => false);
    if (isOurs) this.onWritten();
  }
}
