import { storable } from '../core/storable.js';
import { appendTranscript, type TranscriptEntry } from '../core/turns/turns.js';
import type { Database } from '../database/database.js';
import type { TurnEvent } from '../plugin/index.js';

const FLUSH_MS = 250;
const FLUSH_CHARACTERS = 16 * 1024;
const ENTRY_CHARACTERS = 256 * 1024;
/** Of one turn: an agent that prints without end must not fill the store. Its result is kept apart. */
const TURN_CHARACTERS = 16 * 1024 * 1024;

/** Keeps what a turn says while it says it, in small batches, so that the end of the turn has little left to write. */
export class TranscriptWriter {
  private waiting: TranscriptEntry[] = [];
  private size = 0;
  private total = 0;
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
    if (this.total > TURN_CHARACTERS) return;
    const { type, ...said } = event;
    const body = storable(JSON.stringify(said), ENTRY_CHARACTERS);
    this.total += body.length;
    this.wait(type, body);
    if (this.total > TURN_CHARACTERS)
      this.wait('status', JSON.stringify({ text: 'The transcript of this turn ends here: it is too long.' }));
  }

  private wait(type: string, body: string): void {
    this.waiting.push({ number: this.number++, at: this.now(), kind: type, body });
    this.size += body.length;
    if (this.size >= FLUSH_CHARACTERS) this.flush();
    else this.timer ??= setTimeout(() => this.flush(), FLUSH_MS);
  }

  /** What is not stored yet, for the end of the turn to store; nothing is written after it. */
  async rest(): Promise<readonly TranscriptEntry[]> {
    const entries = this.take();
    await this.writing;
    return entries;
  }

  private flush(): void {
    const entries = this.take();
    this.writing = this.writing.then(() => this.write(entries));
  }

  private take(): TranscriptEntry[] {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    const entries = this.waiting;
    this.waiting = [];
    this.size = 0;
    return entries;
  }

  /** A transcript that cannot be stored never fails its turn. */

  private async write(entries: readonly TranscriptEntry[]): Promise<void> {
    const isOurs = await this.database.transaction((tx) => appendTranscript(tx, this.turn, entries)).catch(() => false);
    if (isOurs) this.onWritten();
  }
}
