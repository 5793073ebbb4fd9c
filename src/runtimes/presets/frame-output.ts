import type { TurnEvent } from '../../plugin/index.js';
import { parsed, shown } from '../process/agent-event.js';
import { type AgentOutput, MAX_LINE_BYTES } from '../process/agent-output.js';
import { type Line, LineSplitter } from '../process/lines.js';
import type { FrameReader } from './preset.js';

const MOST_COMPLAINTS = 4_000;

/** What a program prints, as its reader understands it. Of several results the last counts, and comes once, at the end. */
export class FrameOutput implements AgentOutput {
  /** True: the agent has done something that would be done twice by another start. */
  hasWorked = false;
  /** Lines that are no frames. */
  complaints = '';
  private readonly lines = new LineSplitter(MAX_LINE_BYTES);
  private result: TurnEvent | null = null;

  constructor(private readonly reader: FrameReader) {}

  *push(chunk: Buffer): Generator<TurnEvent> {
    for (const line of this.lines.push(chunk)) yield* this.take(line);
  }

  *end(): Generator<TurnEvent> {
    for (const line of this.lines.end()) yield* this.take(line);
    if (this.result !== null) yield this.result;
  }

  private *take({ text, cut }: Line): Generator<TurnEvent> {
    if (text.trim() === '') return;
    const frame = cut ? null : parsed(text);
    if (frame === null) {
      if (this.complaints.length < MOST_COMPLAINTS) this.complaints += `${shown(text)}\n`;
      return yield { type: 'status', text: shown(text) };
    }
    for (const event of this.reader.read(frame)) {
      this.hasWorked ||= event.type === 'text' || event.type === 'tool';
      if (event.type === 'result') this.result = event;
      else yield event;
    }
  }
}
