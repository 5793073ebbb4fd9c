/** Something to be done again and again, by whichever replica comes first. */
export interface Task {
  readonly name: string;
  readonly everyMs: number;
  /** Must end soon after the signal, wherever it then is. */
  run(signal: AbortSignal): Promise<void>;
}

/** Runs tasks at their intervals, none of them twice at a time; one that fails is tried again at the next. */
export class Maintenance {
  private readonly stopping = new AbortController();
  private timers: NodeJS.Timeout[] = [];
  private readonly running = new Map<Task, Promise<void>>();

  constructor(
    private readonly tasks: readonly Task[],
    private readonly onFailure: (task: Task, error: Error) => void,
  ) {}

  /** Begins with a round of all. */
  start(): void {
    this.timers = this.tasks.map((task) => setInterval(() => this.begin(task), task.everyMs));
    for (const task of this.tasks) this.begin(task);
  }

  /** Resolves when nothing runs any more. */
  async stop(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    this.stopping.abort();
    await Promise.all(this.running.values());
  }

  private begin(task: Task): void {
    if (this.running.has(task)) return;
    const run = task
      .run(this.stopping.signal)
      .catch((error: Error) => this.onFailure(task, error))
      .finally(() => this.running.delete(task));
    this.running.set(task, run);
  }
}
