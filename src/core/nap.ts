/** The rest of a loop between two looks: it ends after a time, or at once when somebody wakes it, also before it has begun. */
export class Nap {
  private wasWoken = false;
  private wakeUp = () => {};

  wake(): void {
    this.wasWoken = true;
    this.wakeUp();
  }

  /** Before a look: what wakes from now on is more than that look may have seen. */
  prepare(): void {
    this.wasWoken = false;
  }

  async rest(howLongMs: () => number | Promise<number>): Promise<void> {
    if (this.wasWoken) return;
    const waitMs = await howLongMs();
    if (this.wasWoken) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, waitMs);
      this.wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.wakeUp = () => {};
  }
}
