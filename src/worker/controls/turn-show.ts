import { usedSlots } from '../../core/controls/errands.js';
import { type Place, type Post, putPosts } from '../../core/controls/posts.js';
import type { Claim } from '../../core/deliveries/claim.js';
import { isOurs } from '../../core/turns/turns.js';
import type { Database } from '../../database/database.js';
import { clock } from '../../database/tx.js';
import { finalText, spareSlots, textPosts } from './turn-posts.js';

const FIRST_MS = 250;
/** Of one turn; what is beyond is not shown before its end, and then as a number. */
const MOST_UNITS = 4 * 1024 * 1024;

const OF_EARLIER_TRY = '_(of an earlier try)_';

/** Shows a turn in its conversation's thread while it runs, where the channel can edit messages; and what it came to. */
export class TurnShow {
  private said = '';
  private status: string | null = null;
  private timer: NodeJS.Timeout | null = null;
  private putting: Promise<void> = Promise.resolve();
  private isFirst = true;
  private isOver = false;

  constructor(
    private readonly database: Database,
    readonly place: Place,
    private readonly claim: Claim,
    private readonly onPut: () => void,
  ) {}

  text(text: string): void {
    if (this.said.length < MOST_UNITS) this.said += text;
    this.status = null;
    this.wait();
  }

  working(status: string): void {
    this.status = status;
    this.wait();
  }

  /** The messages as they are at the end; nothing is put down after it. */
  async end(result: string | null): Promise<Post[]> {
    this.isOver = true;
    if (this.timer) clearTimeout(this.timer);
    await this.putting;
    const posts = textPosts(this.claim, finalText(this.said, result), this.limits.text);
    const spare = await this.database
      .transaction((tx) => usedSlots(tx, spareSlots(this.claim, posts.length)))
      // What an earlier try left stays as it is.
      .catch(() => new Set<string>());
    return [...posts, ...[...spare].map((slot) => ({ slot, text: OF_EARLIER_TRY }))];
  }

  private get limits() {
    return this.place.placement.limits;
  }

  private wait(): void {
    const { editMs } = this.limits;
    if (editMs === null || this.isOver) return;
    this.timer ??= setTimeout(() => this.flush(), this.isFirst ? FIRST_MS : Math.max(editMs, FIRST_MS));
  }

  private flush(): void {
    this.timer = null;
    this.isFirst = false;
    this.putting = this.putting.then(() => this.put());
  }

  /** What cannot be put down now is with what comes next, or at the latest with the end. */
  private async put(): Promise<void> {
    const posts = textPosts(this.claim, this.said, this.limits.text, this.status);
    const isOurTurn = await this.database
      .transaction(async (tx) => {
        if (!(await isOurs(tx, this.claim))) return false;
        await putPosts(tx, this.place, posts, await clock(tx));
        return true;
      })
      .catch(() => false);
    if (isOurTurn) this.onPut();
  }
}
