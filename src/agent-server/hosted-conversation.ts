import type { AgentRuntime } from '../plugin/index.js';
import { killProcessGroup } from '../runtimes/process/process-group.js';
import type { EventLog, Line } from './event-log.js';
import { type ConversationEvent, failure, message, stateUpdate, stopEvent } from './events.js';
import { type ExecutionStatus, execution } from './execution.js';
import { HostedTurn } from './hosted-turn.js';
import type { Places } from './places.js';
import { type Marks, type Origin, Standing } from './standing.js';

/** What was posted, and whether it had been before. */
export interface Posted {
  readonly event: string;
  readonly isDuplicate: boolean;
}

/** Why a conversation cannot be told what it was told; `conflict`: it does that already. */
export class NotNow extends Error {
  override readonly name = 'NotNow';

  constructor(
    message: string,
    readonly how: 'conflict' | 'refused',
  ) {
    super(message);
  }
}

type Listener = (event: ConversationEvent) => void;

/**
 * One conversation: what was said is in its log before anybody is told of it, and one turn at a time works on what is not done. A turn
 * that was cut off leaves its messages undone, so that the next run works on them again.
 */
export class HostedConversation {
  private readonly listeners = new Set<Listener>();
  /** Messages on their way to the disk. */
  private readonly saving = new Map<string, Promise<void>>();
  private turn: HostedTurn | null = null;
  private working: Promise<void> | null = null;
  private isToRun = false;
  private stopping = new AbortController();

  private constructor(
    readonly origin: Origin,
    private readonly standing: Standing,
    private readonly log: EventLog,
    private readonly runtime: AgentRuntime,
    private readonly places: Places,
  ) {}

  /** As its log tells it. What worked on it when its server died is ended, and it is in `error`, its messages undone. */
  static async load(
    origin: Origin,
    lines: readonly Line[],
    log: EventLog,
    runtime: AgentRuntime,
    places: Places,
  ): Promise<HostedConversation> {
    const conversation = new HostedConversation(origin, new Standing(lines), log, runtime, places);
    await conversation.recover();
    return conversation;
  }

  get id(): string {
    return this.origin.id;
  }

  get marks(): Marks {
    return this.standing.marks;
  }

  get events(): readonly ConversationEvent[] {
    return this.standing.events;
  }

  get lastMessage(): string | null {
    return this.standing.messages.at(-1)?.id ?? null;
  }

  /** Nobody listens, and nothing works. */
  get isAsleep(): boolean {
    return this.listeners.size === 0 && this.working === null;
  }

  /** Tells every further event, until the answer is called. */
  listen(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** A message of the user's. One whose id is there already is not taken twice; `run` begins its work all the same. */
  async post(text: string, { id, run }: { readonly id: string | undefined; readonly run: boolean }): Promise<Posted> {
    const said = message('user', text, id);
    const isDuplicate = this.standing.has(said.id);
    // Whoever repeats it is not told that it is here before it is on the disk.
    if (isDuplicate) await this.saving.get(said.id);
    else {
      await this.save(said);
      if (this.marks.status === 'finished') await this.step('take');
    }
    if (run && !isDuplicate && this.turn !== null) await this.turn.take(said);
    if (run) this.wake();
    return { event: said.id, isDuplicate };
  }

  /** Begins the work on what is undone. Throws `NotNow` where it is begun. */
  run(): void {
    if (this.marks.status === 'running') throw new NotNow(`conversation ${this.id} is running`, 'conflict');
    this.wake();
  }

  /** Stops its work; what was not done stays, until it is told to run. */
  async pause(how: 'pause' | 'interrupt' = 'pause'): Promise<void> {
    this.isToRun = false;
    this.stopping.abort(new Error('paused'));
    await this.working;
    this.stopping = new AbortController();
    await this.step('pause', [stopEvent(how)]);
  }

  /** A person's word on what its agent asks. Throws `NotNow` where it asks nothing. */
  async confirm(isAccepted: boolean): Promise<void> {
    if (this.turn === null || !(await this.turn.confirm(isAccepted)))
      throw new NotNow(`conversation ${this.id} waits for nobody`, 'refused');
  }

  async rename(title: string): Promise<void> {
    await this.write([], { title });
  }

  /** Ends what works on it; it is then as after a crash, which tells everybody to run it again. */
  async close(): Promise<void> {
    await this.endWork('the server stops');
    if (execution.sources('lose').includes(this.marks.status)) await this.lose('the server stopped while the agent worked');
    await this.log.close();
  }

  async remove(): Promise<void> {
    await this.endWork('the conversation is deleted');
    await this.step('remove');
    await this.runtime.retire?.(this.id);
    this.listeners.clear();
    await this.log.close();
  }

  private async endWork(why: string): Promise<void> {
    this.isToRun = false;
    this.stopping.abort(new Error(why));
    await this.working;
  }

  private wake(): void {
    this.isToRun = true;
    this.working ??= this.work().finally(() => {
      this.working = null;
    });
  }

  private async work(): Promise<void> {
    while (this.isToRun && !this.stopping.signal.aborted) {
      this.isToRun = false;
      // What joined the turn that has just ended is done.
      if (this.marks.status === 'finished' && this.standing.undone.length === 0) return;
      await this.workOnce(this.stopping.signal);
    }
  }

  private async workOnce(signal: AbortSignal): Promise<void> {
    if (this.marks.status !== 'running') await this.step('run');
    const giveBack = await this.places.take(signal).catch(() => null);
    if (giveBack === null) return;
    try {
      if (this.standing.undone.length > 0) await this.takeTurn(signal);
      if (signal.aborted) return;
      const isMore = this.isToRun && this.standing.undone.length > 0;
      if (!isMore && this.marks.status !== 'error') await this.step('finish');
    } finally {
      giveBack();
    }
  }

  private async takeTurn(signal: AbortSignal): Promise<void> {
    const { marks, undone } = this.standing;
    await this.write([], { turns: marks.turns + 1 });
    const turn = new HostedTurn(this.origin, { ...this.marks, messages: undone }, this.runtime, {
      say: (event) => this.add(event),
      mark: (change) => this.write([], change),
      ask: () => this.step('ask'),
      answer: () => this.step('answer'),
    });
    this.turn = turn;
    const outcome = await turn.run(signal);
    this.turn = null;
    if (outcome.is === 'done') return this.write([], { done: marks.done + outcome.count, process: null });
    if (outcome.is === 'failed') return this.step('fail', [failure('agent_failed', outcome.why, true)], { process: null });
    await this.write([], { process: null });
  }

  private async recover(): Promise<void> {
    const { status, process: worked } = this.marks;
    if (worked !== null) await killProcessGroup(worked.pid, worked.startedAt);
    if (execution.sources('lose').includes(status)) await this.lose('the server died while the agent worked');
  }

  private lose(why: string): Promise<void> {
    return this.step('lose', [failure('server_ended', why, true)], { process: null });
  }

  private async step(
    event: Parameters<typeof execution.next>[1],
    events: ConversationEvent[] = [],
    marks: Partial<Marks> = {},
  ): Promise<void> {
    const status: ExecutionStatus = execution.next(this.marks.status, event);
    await this.write([...events, stateUpdate('execution_status', status)], { ...marks, status });
  }

  private async save(said: ConversationEvent): Promise<void> {
    const saved = this.add(said);
    this.saving.set(said.id, saved);
    await saved.finally(() => this.saving.delete(said.id));
  }

  private add(event: ConversationEvent): Promise<void> {
    return this.write([event], {});
  }

  /** First on the disk, then told. */
  private async write(events: readonly ConversationEvent[], marks: Partial<Marks>): Promise<void> {
    const changed = Object.keys(marks).length > 0;
    const before = this.standing.marks;
    // What is asked for meanwhile sees it as it will be.
    for (const event of events) this.standing.add(event);
    if (changed) this.standing.mark(marks);
    try {
      await this.log.append([...events.map((event) => ({ event })), ...(changed ? [{ marks }] : [])]);
    } catch (error) {
      for (const event of events) this.standing.take(event);
      if (changed) this.standing.mark(before);
      throw error;
    }
    for (const event of events) for (const listener of this.listeners) listener(event);
  }
}
