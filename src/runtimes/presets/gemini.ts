import type { TurnEvent } from '../../plugin/index.js';
import { type Fields, fieldsOf, isName, shown, toolEvent } from '../process/agent-event.js';
import { MessageTexts } from './message-texts.js';
import { type FrameReader, type Invocation, type Preset, ResumingTurn, status } from './preset.js';

const UNKNOWN_SESSION = /invalid session identifier|no previous sessions|error resuming session/i;

/** Gemini as a program: `gemini -p`. */
export const gemini: Preset = (input, options) => new GeminiTurn(input, options, UNKNOWN_SESSION);

class GeminiTurn extends ResumingTurn {
  first(): Invocation {
    const noTools = status('gemini takes tools from its settings alone: it works without those of its conversation');
    return this.start(this.input.mcp === null ? [] : [noTools]);
  }

  reader(): FrameReader {
    return new GeminiReader(this.session);
  }

  /** What it is asked stands behind what it reads from its input. */
  protected start(events: readonly TurnEvent[]): Invocation {
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
