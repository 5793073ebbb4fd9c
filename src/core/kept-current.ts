import type { Signals } from './signals.js';

const POLL_MS = 5_000;

/** What a process knows of the store in memory: read anew when a signal says that it changed, and looked for behind that. */
export abstract class KeptCurrent {
  private reading: Promise<void> | null = null;
  private isStale = false;
  private poll: NodeJS.Timeout | null = null;

  constructor(
    private readonly signals: Signals,
    /** Told by whoever changes it, in this process or another one. */
    private readonly signal: 'automations' | 'webhooks',
  ) {}

  /** Reads what has changed, if anything has. */
  protected abstract load(): Promise<void>;
  /** What is known stays what it was; it is tried again. */
  protected abstract failed(reason: string): void;

  /** Resolves when what is stored at the moment is known. */
  async start(pollMs = POLL_MS): Promise<void> {
    this.signals.on(this.signal, this.changed);
    this.poll = setInterval(() => void this.refresh(), pollMs).unref();
    await this.load();
  }

  stop(): void {
    this.signals.off(this.signal, this.changed);
    if (this.poll !== null) clearInterval(this.poll);
    this.poll = null;
  }

  /** Set from the moment of a change until it is known: whoever changed something finds it changed. */
  get pending(): Promise<void> | null {
    return this.reading;
  }

  /** Reads what has changed, if anything has. Never rejects. */
  refresh(): Promise<void> {
    this.isStale = true;
    this.reading ??= this.readAll().finally(() => {
      this.reading = null;
    });
    return this.reading;
  }

  private readonly changed = (): void => {
    void this.refresh();
  };

  private async readAll(): Promise<void> {
    while (this.isStale) {
      this.isStale = false;
      await this.load().catch((error: unknown) => this.failed(error instanceof Error ? error.message : String(error)));
    }
  }
}
