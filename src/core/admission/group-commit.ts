/** Runs jobs that arrive together as one: the first starts at once, what arrives meanwhile is the next group. */
export class GroupCommit<Job, Result> {
  private waiting: { readonly job: Job; readonly resolve: (result: Result) => void; readonly reject: (error: unknown) => void }[] = [];
  private isRunning = false;

  constructor(
    /** One result a job, in their order, or an error for all of them, with nothing done. */
    private readonly run: (jobs: readonly Job[]) => Promise<readonly Result[]>,
    /** True: one of the jobs is at fault, and the others would do without it. */
    private readonly isPoison: (error: unknown) => boolean,
    private readonly limits: { readonly group: number; readonly waiting: number; readonly onOverflow: () => Error },
  ) {}

  /** Resolves after the commit of the job's own group. */
  submit(job: Job): Promise<Result> {
    if (this.waiting.length >= this.limits.waiting) return Promise.reject(this.limits.onOverflow());
    const result = new Promise<Result>((resolve, reject) => this.waiting.push({ job, resolve, reject }));
    if (!this.isRunning) {
      this.isRunning = true;
      setImmediate(() => void this.drain());
    }
    return result;
  }

  private async drain(): Promise<void> {
    while (this.waiting.length > 0) {
      const group = this.waiting.splice(0, this.limits.group);
      await this.attempt(group);
    }
    this.isRunning = false;
  }

  /** A job that cannot be stored is found by halving; its neighbours are stored without it. */
  private async attempt(group: typeof this.waiting): Promise<void> {
    try {
      const results = await this.run(group.map(({ job }) => job));
      group.forEach(({ resolve }, i) => {
        resolve(results[i] as Result);
      });
    } catch (error) {
      if (group.length === 1 || !this.isPoison(error)) {
        for (const { reject } of group) reject(error);
        return;
      }
      const middle = Math.ceil(group.length / 2);
      await this.attempt(group.slice(0, middle));
      await this.attempt(group.slice(middle));
    }
  }
}
