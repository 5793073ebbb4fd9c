import type { TurnEvent, TurnInput, TurnMessage } from '../../plugin/index.js';
import type { Fields } from '../process/agent-event.js';
import type { ProcessOptions } from '../process/process-options.js';
import { promptText } from '../prompt-text.js';
import type { OpenInput } from './open-input.js';

export type PresetName = 'claude-code' | 'codex' | 'gemini';

export interface PresetOptions extends Omit<ProcessOptions, 'output'> {
  readonly preset: PresetName;
  /** Arguments that the configuration adds to those of the preset. */
  readonly args: readonly string[];
}

/** One start of the program. */
export interface Invocation {
  readonly args: readonly string[];
  readonly stdin: string | OpenInput;
  /** What is said before the program starts. */
  readonly events: readonly TurnEvent[];
}

/** Reads what the program prints, one JSON object a line. */
export interface FrameReader {
  read(frame: Fields): Iterable<TurnEvent>;
  /** True: the program said that the turn is done. */
  readonly isDone: boolean;
  /** Why the turn failed, by the program's own words, or null. */
  readonly fault: string | null;
}

/** One turn on the command line of an agent that knows nothing of this server. */
export interface PresetTurn {
  first(): Invocation;
  /** Another way to do it, after the program complained and did nothing; null: there is none. */
  next(complaint: string): Invocation | null;
  reader(): FrameReader;
  /** Gives more messages to the turn, as one. False: it takes none (any more). Left out: it never does. */
  take?(messages: readonly TurnMessage[]): Promise<boolean>;
}

export type Preset = (input: TurnInput, options: PresetOptions) => PresetTurn;

/** A turn of a program that chooses its session's id itself, and may have forgotten it. */
export abstract class ResumingTurn implements PresetTurn {
  protected session: string | null;
  protected readonly stdin: string;

  constructor(
    protected readonly input: TurnInput,
    protected readonly options: PresetOptions,
    /** What it complains of when it does not know the session. */
    private readonly unknownSession: RegExp,
  ) {
    this.session = input.session;
    this.stdin = promptText(input);
  }

  abstract first(): Invocation;
  abstract reader(): FrameReader;
  protected abstract start(events: readonly TurnEvent[]): Invocation;

  next(complaint: string): Invocation | null {
    if (this.session === null || !this.unknownSession.test(complaint)) return null;
    this.session = null;
    return this.start([status('the agent no longer knows its earlier session: it begins anew')]);
  }
}

export function status(text: string): TurnEvent {
  return { type: 'status', text };
}
