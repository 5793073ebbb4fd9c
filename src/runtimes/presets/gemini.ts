import type { TurnEvent, TurnInput } from '../../plugin/index.js';
import { type Fields, fieldsOf, isName, shown, toolEvent } from '../process/agent-event.js';
import { promptText } from '../prompt-text.js';
import { MessageTexts } from './message-texts.js';
import { type FrameReader, type Invocation, type Preset, type PresetOptions, type PresetTurn, status } from './preset.js';

const UNKNOWN_SESSION = /invalid session identifier|no previous sessions|error resuming session/i;

/** Gemini as a program: `gemini -p`. */
export const gemini: Preset = (input, options) => new GeminiTurn(input, options);

class GeminiTurn implements PresetTurn {
  private session: string | null;
  private readonly stdin: string;

  constructor(
    private readonly input: TurnInput,
    private readonly options: PresetOptions,
  ) {
    this.session = input.session;
    this.stdin = promptText(input);
  }

  first(): Invocation {
    const noTools = status('gemini takes tools from its settings alone: it works without those of its conversation');
    return this.start(this.input.mcp === null ? [] : [noTools]);
  }

  next(complaint: string): Invocation | null {
    if (this.session === null || !UNKNOWN_SESSION.test(complaint)) return null;
    this.session = null;
    return this.start([status('the agent no longer knows its earlier session: it begins anew')]);
  }

  reader(): FrameReader {
    return new GeminiReader(this.session);
  }

  /** What it is asked stands behind what it reads from its input. */
  private start(events: readonly TurnEvent[]): Invocation {
    const resume = this.session === null ? [] : ['-r', this.session];
    const args = ['-o', 'stream-json', ...this.options.args, ...resume, '-p', 'Work on the messages above.'];
    return { args, stdin: this.stdin, events };
  }
}

class GeminiReader implements FrameReader {
  isDone = false;
  fault: string | null = null;
  private readonly texts = new MessageTexts();

  constructor(private readonly session: string | null) {}

  *read(frame: Fields): Generator<TurnEvent> {
    const { type, role, content, delta, session_id: id } = frame;
    if (type === 'init' && isName(id) && id !== this.session) yield { type: 'session', id };
    if (type === 'message' && role === 'assistant' && typeof content === 'string') {
      if (delta !== true) this.texts.end();
      yield this.texts.say(content);
    }
    yield* this.other(frame);
  }

  private *other(frame: Fields): Generator<TurnEvent> {
    switch (frame['type']) {
      case 'tool_use':
        this.texts.end();
        if (isName(frame['tool_name'])) yield toolEvent(frame['tool_name'], frame['parameters']);
        return;
      case 'error':
        yield status(shown(`${frame['severity']}: ${frame['message']}`));
        return;
      case 'result':
        if (frame['status'] === 'success') this.isDone = true;
        else this.fault = shown(`the agent failed: ${fieldsOf(frame['error'])?.['message'] ?? 'it does not say why'}`);
    }
  }
}
