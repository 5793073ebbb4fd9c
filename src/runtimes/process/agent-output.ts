import { StringDecoder } from 'node:string_decoder';
import { storable } from '../../core/storable.js';
import type { TurnEvent } from '../../plugin/index.js';
import { agentEvent } from './agent-event.js';
import { LineSplitter } from './lines.js';
import type { ProcessOptions } from './process-options.js';

export const MAX_LINE_BYTES = 1024 * 1024;
/** Characters of a turn's output that are kept. */
const MAX_OUTPUT = 4 * 1024 * 1024;
/** What an event counts at least, so that a flood of empty ones ends too. */
const LEAST_EVENT = 64;

/** Reads what an agent prints. */
export interface AgentOutput {
  push(chunk: Buffer): Iterable<TurnEvent>;
  /** What is left when stdout has ended. */
  end(): Iterable<TurnEvent>;
}

export function agentOutput(kind: ProcessOptions['output']): AgentOutput {
  return new BoundedOutput(kind === 'text' ? new TextOutput() : new EventOutput());
}

/** One JSON object a line. Of several results the last counts, and comes once, at the end. */
class EventOutput implements AgentOutput {
  private readonly lines = new LineSplitter(MAX_LINE_BYTES);
  private result: TurnEvent | null = null;

  *push(chunk: Buffer): Generator<TurnEvent> {
    for (const line of this.lines.push(chunk)) yield* this.keepResult(agentEvent(line));
  }

  *end(): Generator<TurnEvent> {
    for (const line of this.lines.end()) yield* this.keepResult(agentEvent(line));
    if (this.result !== null) yield this.result;
  }

  private *keepResult(event: TurnEvent | null): Generator<TurnEvent> {
    if (event?.type === 'result') this.result = event;
    else if (event !== null) yield event;
  }
}

/** All of stdout is text. */
class TextOutput implements AgentOutput {
  private readonly decoder = new StringDecoder('utf8');

  *push(chunk: Buffer): Generator<TurnEvent> {
    yield* this.event(this.decoder.write(chunk));
  }

  *end(): Generator<TurnEvent> {
    yield* this.event(this.decoder.end());
  }

  private *event(text: string): Generator<TurnEvent> {
    if (text !== '') yield { type: 'text', text: storable(text, Infinity) };
  }
}

export class BoundedOutput implements AgentOutput {
  private readonly bound = new OutputBound();

  constructor(private readonly output: AgentOutput) {}

  *push(chunk: Buffer): Generator<TurnEvent> {
    for (const event of this.output.push(chunk)) yield* this.bound.take(event);
  }

  *end(): Generator<TurnEvent> {
    for (const event of this.output.end()) yield* this.bound.take(event);
  }
}

/** Lets so much of a turn through and then drops the rest, saying so once; the agent runs on. Session, cost and result always pass. */
export class OutputBound {
  private left = MAX_OUTPUT;
  private told = false;

  *take(event: TurnEvent): Generator<TurnEvent> {
    const weight = weightOf(event);
    if (weight <= this.left) {
      this.left -= weight;
      yield event;
    } else if (!this.told) {
      this.told = true;
      this.left = 0;
      yield { type: 'status', text: `the agent printed more than ${MAX_OUTPUT / 1024 / 1024} MB: the rest of its output is dropped` };
    }
  }
}

function weightOf(event: TurnEvent): number {
  switch (event.type) {
    case 'text':
    case 'status':
      return Math.max(LEAST_EVENT, event.text.length);
    case 'tool':
      return Math.max(LEAST_EVENT, JSON.stringify(event).length);
    default:
      return 0;
  }
}
