import type { TurnEvent } from '../../plugin/index.js';
import { type Fields, fieldsOf, isName, shown, toolEvent } from '../process/agent-event.js';
import { MessageTexts } from './message-texts.js';
import { type FrameReader, type Invocation, type Preset, ResumingTurn, status } from './preset.js';

const UNKNOWN_THREAD = /no rollout found|thread\/resume failed/i;

/** Codex as a program: `codex exec`. */
export const codex: Preset = (input, options) => new CodexTurn(input, options, UNKNOWN_THREAD);

class CodexTurn extends ResumingTurn {
  first(): Invocation {
    return this.start([]);
  }

  reader(): FrameReader {
    return new CodexReader(this.session);
  }

  /** Options stand before `resume`, which takes few of them itself. */
  protected start(events: readonly TurnEvent[]): Invocation {
    const { args, cwd } = this.options;
    const own = ['exec', '--json', '--skip-git-repo-check', '--cd', cwd ?? this.input.workspace, ...this.tools()];
    const resume = this.session === null ? [] : ['resume', this.session];
    return { args: [...own, ...args, ...resume, '-'], stdin: this.stdin, events };
  }

  /** The token stands in the environment of the agent: arguments are seen by everybody on the machine. */
  private tools(): string[] {
    const { mcp } = this.input;
    if (mcp === null) return [];
    const own = { url: mcp.url, bearer_token_env_var: 'THROUGHLINE_MCP_TOKEN' };
    return Object.entries(own).flatMap(([key, value]) => ['-c', `mcp_servers.throughline.${key}=${JSON.stringify(value)}`]);
  }
}

class CodexReader implements FrameReader {
  isDone = false;
  fault: string | null = null;
  private readonly texts = new MessageTexts();
  private readonly started = new Set<unknown>();

  constructor(private readonly thread: string | null) {}

  *read(frame: Fields): Generator<TurnEvent> {
    const item = fieldsOf(frame['item']);
    switch (frame['type']) {
      case 'thread.started':
        if (isName(frame['thread_id']) && frame['thread_id'] !== this.thread) yield { type: 'session', id: frame['thread_id'] };
        return;
      case 'item.started':
      case 'item.completed':
        if (item !== null) yield* this.item(item, frame['type'] === 'item.completed');
        return;
      case 'turn.completed':
        this.isDone = true;
        return;
      case 'turn.failed':
        this.fault = shown(`the agent failed: ${messageOf(fieldsOf(frame['error']))}`);
        return;
      case 'error':
        // A lost connection is one, too, and is then taken up again.
        yield status(shown(messageOf(frame)));
    }
  }

  private *item(item: Fields, isComplete: boolean): Generator<TurnEvent> {
    const { type, text } = item;
    if (type === 'agent_message' || type === 'reasoning' || type === 'error') {
      if (!isComplete) return;
      if (type !== 'agent_message') return yield status(shown(typeof text === 'string' ? text : messageOf(item)));
      if (typeof text !== 'string') return;
      this.texts.end();
      return yield this.texts.say(text);
    }
    if (isComplete && this.started.has(item['id'])) return;
    this.started.add(item['id']);
    if (isName(type)) yield toolOf(type, item);
  }
}

function toolOf(type: string, item: Fields): TurnEvent {
  switch (type) {
    case 'command_execution':
      return toolEvent(type, { command: item['command'] });
    case 'mcp_tool_call':
      return toolEvent(shown(`${item['server']}.${item['tool']}`), item['arguments']);
    case 'todo_list':
      return status(shown(`plan: ${JSON.stringify(item['items'])}`));
    default:
      return toolEvent(type, { changes: item['changes'], query: item['query'] });
  }
}

function messageOf(fields: Fields | null): string {
  return typeof fields?.['message'] === 'string' ? fields['message'] : 'it does not say why';
}
