/** So many may work at a time; others wait for a place, first come, first served. */
export class Places {
  private free: number;
  private readonly waiting: (() => void)[] = [];

  constructor(count: number) {
    this.free = count;
  }

  /** Resolves to what gives the place back. */
  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.free > 0) this.free--;
    else await this.next(signal);
    let isBack = false;
    return () => {
      if (isBack) return;
      isBack = true;
      const first = this.waiting.shift();
      if (first) first();
      else this.free++;
    };
  }

  private next(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const come = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        this.waiting.splice(this.waiting.indexOf(come), 1);
        reject(signal.reason as Error);
      };
      this.waiting.push(come);
      signal.addEventListener('abort', leave, { once: true });
    });
  }
}
