import { storable } from '../../core/storable.js';
import type { TurnEvent } from '../../plugin/index.js';

/** Keeps the messages of a turn apart, whose texts would else run into each other. */
export class MessageTexts {
  private isInside = false;
  private hasSpoken = false;

  /** More of the message that is being said, or the start of the next. */
  say(text: string): TurnEvent {
    const isNext = this.hasSpoken && !this.isInside;
    this.isInside = true;
    this.hasSpoken = true;
    return { type: 'text', text: storable(isNext ? `\n\n${text}` : text, Infinity) };
  }

  end(): void {
    this.isInside = false;
  }
}
