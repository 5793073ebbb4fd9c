import type { Screen } from '../../demo/screen/screen.js';
import { cut } from '../../demo/screen/text-width.js';
import type { Scene } from '../chaos.js';

const EVERY_MS = { watched: 500, unwatched: 10_000 };
const BARS = '▁▂▃▄▅▆▇█';
const BARS_SHOWN = 24;

export interface LiveScreen extends Screen {
  readonly isWatched: boolean;
  /** Writes over the line that it wrote last. */
  inPlace(text: string): void;
}

/** What a person sees while it goes on: a line for everything that is done to a server, and below one that tells how it goes. */
export class Live {
  private readonly began = performance.now();
  private readonly rates: number[] = [];
  private handledBefore = 0;
  private lookedAt = performance.now();
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly screen: LiveScreen,
    private readonly scene: Scene,
  ) {
    scene.chronicle.onEvent = (how, server) => this.event(how, server);
  }

  start(): void {
    this.timer = setInterval(() => this.look(), this.screen.isWatched ? EVERY_MS.watched : EVERY_MS.unwatched);
  }

  stop(): void {
    if (this.timer) clearInterval(this.timer);
    if (this.screen.isWatched) this.screen.inPlace('');
  }

  private event(how: string, server: string): void {
    const { screen } = this;
    if (screen.isWatched) screen.inPlace('');
    const isKill = !/^(paused|told)/.test(how);
    screen.line(
      `${screen.paint('dim', this.clock())}  ${screen.paint(isKill ? 'red' : 'yellow', isKill ? '✝' : '‖')} ${server.padEnd(8)} ${how}`,
    );
    if (screen.isWatched) this.tell();
  }

  private look(): void {
    const now = performance.now();
    const handled = this.handled();
    this.rates.push(((handled - this.handledBefore) * 1000) / (now - this.lookedAt));
    if (this.rates.length > BARS_SHOWN) this.rates.shift();
    this.handledBefore = handled;
    this.lookedAt = now;
    this.tell();
  }

  private tell(): void {
    const { sender, chronicle } = this.scene;
    const accepted = sender.sent.filter(({ answer }) => answer !== null).length;
    const done = [...chronicle.counts.values()].reduce((sum, count) => sum + count, 0);
    const rate = Math.round(this.rates.at(-1) ?? 0);
    const { posts, unanswered } = sender.counts;
    const text = `${this.clock()}  ${bars(this.rates)} ${String(rate).padStart(4)}/s  ${accepted} accepted in ${posts} posts (${unanswered} unanswered)  ${this.handled()} handled  ${done} times struck`;
    if (this.screen.isWatched) this.screen.inPlace(cut(text, this.screen.width() - 1));
    else this.screen.line(text);
  }

  private handled(): number {
    return this.scene.log.handled;
  }

  private clock(): string {
    const seconds = Math.floor((performance.now() - this.began) / 1000);
    return `${String(Math.floor(seconds / 60)).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}`;
  }
}

export function bars(values: readonly number[]): string {
  const most = Math.max(...values, 1);
  return values.map((value) => BARS[Math.min(BARS.length - 1, Math.floor((value / most) * BARS.length))] ?? '').join('');
}
