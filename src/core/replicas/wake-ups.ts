import { randomUUID } from 'node:crypto';
import type { Signals } from '../signals.js';

/** Carries a short message to all processes on the database; false: it cannot at the moment. */
export type Carry = (message: string) => Promise<boolean>;

/** What every replica keeps a view of: whoever hears of it reads it anew. */
const VIEWS = ['sources', 'automations', 'webhooks'] as const;
type View = (typeof VIEWS)[number];

type Message = { readonly [view in View]?: true } & {
  readonly from: string;
  readonly ready?: true;
  readonly fenced?: readonly string[];
};

/** A message has at most 8,000 bytes, and a conversation's id takes 39 of them. */
const MOST_IDS = 200;
const GATHER_MS = 25;

/**
 * Tells the other replicas what this one tells itself after a commit, and hears what they say. Whatever is lost on the way costs them a
 * look of their own, never a message.
 */
export class WakeUps {
  private readonly self = randomUUID();
  private readonly fenced = new Set<string>();
  private readonly changed = new Set<View>();
  private isReady = false;
  private isHearing = false;
  private gathering: NodeJS.Timeout | null = null;
  private telling: Promise<void> | null = null;

  constructor(
    private readonly signals: Signals,
    private readonly carry: Carry,
    /** True: this replica has no room for what became ready, so that another one should look. */
    private readonly isFull: () => boolean,
  ) {
    signals.on('ready', () => this.gather());
    // Whether a claim was taken away or only changed: its holder looks what it is now.
    const touched = (conversations: readonly string[]) => {
      if (this.isHearing) return;
      for (const conversation of conversations) this.fenced.add(conversation);
      this.tell();
    };
    signals.on('fenced', touched);
    signals.on('steered', touched);
    for (const view of VIEWS)
      signals.on(view, () => {
        if (this.isHearing) return;
        this.changed.add(view);
        this.tell();
      });
  }

  /** What was said while nobody listened is looked for. */
  connected(): void {
    this.relay({ from: '', ready: true, ...marked(VIEWS) });
  }

  hear(payload: string): void {
    const message = read(payload);
    if (message !== null && message.from !== this.self) this.relay(message);
  }

  stop(): void {
    if (this.gathering) clearTimeout(this.gathering);
    this.gathering = null;
  }

  private relay({ ready, fenced, ...said }: Message): void {
    this.isHearing = true;
    try {
      // The claim may be a newer one by the time this arrives: whoever works on it looks, and does not just stop.
      if (fenced) this.signals.emit('suspected', fenced);
      if (ready) this.signals.emit('ready');
      for (const view of VIEWS) if (said[view]) this.signals.emit(view);
    } finally {
      this.isHearing = false;
    }
  }

  /** The own worker gets a moment to take all of it; commits are many, and each would be a message. */
  private gather(): void {
    if (this.isHearing) return;
    this.gathering ??= setTimeout(() => {
      this.gathering = null;
      if (!this.isFull()) return;
      this.isReady = true;
      this.tell();
    }, GATHER_MS).unref();
  }

  /** One message at a time; what comes meanwhile is in the next. */
  private tell(): void {
    this.telling ??= this.tellAll().finally(() => {
      this.telling = null;
    });
  }

  private async tellAll(): Promise<void> {
    while (this.isReady || this.changed.size > 0 || this.fenced.size > 0) {
      const fenced = [...this.fenced].slice(0, MOST_IDS);
      for (const conversation of fenced) this.fenced.delete(conversation);
      const message: Message = {
        from: this.self,
        ...(this.isReady && { ready: true }),
        ...marked([...this.changed]),
        ...(fenced.length > 0 && { fenced }),
      };
      this.isReady = false;
      this.changed.clear();
      await this.carry(JSON.stringify(message));
    }
  }
}

function marked(views: readonly View[]): { readonly [view in View]?: true } {
  return Object.fromEntries(views.map((view) => [view, true]));
}

/** Whoever may connect to the database may say anything. */
function read(payload: string): Message | null {
  try {
    const said = JSON.parse(payload) as Record<string, unknown>;
    const { from, ready, fenced } = said;
    if (typeof from !== 'string') return null;
    const ids = Array.isArray(fenced) ? fenced.filter((id) => typeof id === 'string') : [];
    return {
      ...{ from, ...(ready === true && { ready }), ...marked(VIEWS.filter((view) => said[view] === true)) },
      ...(ids.length > 0 && { fenced: ids }),
    };
  } catch {
    return null;
  }
}
