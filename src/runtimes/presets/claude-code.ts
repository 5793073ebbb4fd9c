import { validate } from 'uuid';
import { scopedId } from '../../core/conversations/conversation-id.js';
import { storable } from '../../core/storable.js';
import type { TurnEvent, TurnInput, TurnMessage } from '../../plugin/index.js';
import { costEvent, type Fields, fieldsOf, isName, shown, toolEvent } from '../process/agent-event.js';
import { promptText } from '../prompt-text.js';
import { MessageTexts } from './message-texts.js';
import { OpenInput } from './open-input.js';
import { type FrameReader, type Invocation, type Preset, type PresetOptions, type PresetTurn, status } from './preset.js';

/** `--resume` goes on with a session that exists, `--session-id` begins one under an id of ours; each refuses what is the other's. */
const OTHER_WAY = {
  '--resume': { after: /No conversation found/i, way: '--session-id' },
  '--session-id': { after: /already in use/i, way: '--resume' },
} as const;
const MOST_STARTS = 3;

/** It reads messages as they come, and shows each that it has taken up. */
const STREAM = ['--output-format', 'stream-json', '--verbose', '--input-format', 'stream-json', '--replay-user-messages'];

/** The token stands in the environment of the agent: arguments are seen by everybody on the machine. */
const TOOLS = (url: string) =>
  JSON.stringify({ mcpServers: { throughline: { type: 'http', url, headers: { Authorization: `Bearer \${THROUGHLINE_MCP_TOKEN}` } } } });

/** Claude Code as a program: `claude -p`. */
export const claudeCode: Preset = (input, options) => new ClaudeTurn(input, options);

class ClaudeTurn implements PresetTurn {
  private readonly id: string;
  private way: keyof typeof OTHER_WAY;
  private starts = 0;
  private readonly stdin: OpenInput;

  constructor(
    private readonly input: TurnInput,
    private readonly options: PresetOptions,
  ) {
    const known = input.session !== null && validate(input.session) ? input.session : null;
    // Of the turn rather than of the conversation: a reset has to begin another session.
    this.id = known ?? scopedId('session', input.turn.id);
    this.way = known === null ? '--session-id' : '--resume';
    this.stdin = new OpenInput(userFrame(promptText(input)));
  }

  first(): Invocation {
    return this.start(this.id === this.input.session ? [] : [{ type: 'session', id: this.id }]);
  }

  next(complaint: string): Invocation | null {
    const { after, way } = OTHER_WAY[this.way];
    if (this.starts >= MOST_STARTS || !after.test(complaint)) return null;
    this.way = way;
    return this.start(way === '--session-id' ? [status('the agent has no session of its conversation here: it begins one')] : []);
  }

  reader(): FrameReader {
    return new ClaudeReader(this.id, this.stdin);
  }

  take(messages: readonly TurnMessage[]): Promise<boolean> {
    return this.stdin.give(userFrame(promptText({ ...this.input, turn: { ...this.input.turn, messages } })));
  }

  private start(events: readonly TurnEvent[]): Invocation {
    this.starts++;
    const { mcp } = this.input;
    const tools = mcp === null ? [] : ['--mcp-config', TOOLS(mcp.url)];
    const args = ['-p', ...STREAM, ...tools, ...this.options.args, this.way, this.id];
    return { args, stdin: this.stdin, events };
  }
}

/** One line of its input. */
function userFrame(text: string): string {
  return `${JSON.stringify({ type: 'user', message: { role: 'user', content: [{ type: 'text', text }] }, parent_tool_use_id: null })}\n`;
}

const FAULTS: Readonly<Record<string, string>> = {
  error_max_turns: 'the agent stopped in the middle: it reached its limit of turns',
  error_max_budget_usd: 'the agent stopped in the middle: it reached its own budget',
};

class ClaudeReader implements FrameReader {
  fault: string | null = null;
  private readonly texts = new MessageTexts();
  private hasResult = false;
  private takenUp = 0;
  private spentUsd = 0;

  constructor(
    private session: string,
    private readonly input: OpenInput,
  ) {}

  /** What was given while it worked and is not taken up yet is worked on next. */
  get isDone(): boolean {
    return this.hasResult && this.takenUp >= this.input.count;
  }

  *read(frame: Fields): Generator<TurnEvent> {
    switch (frame['type']) {
      case 'system':
        yield* this.system(frame);
        return;
      case 'assistant':
        yield* this.message(frame);
        return;
      case 'user':
        if (frame['isReplay'] === true) this.takeUp();
        return;
      case 'result':
        yield* this.result(frame);
        if (this.fault !== null || this.isDone) this.input.close();
        return;
    }
  }

  /** Each result tells what this start of the program has spent so far. */
  private *cost(totalUsd: unknown): Generator<TurnEvent> {
    if (typeof totalUsd !== 'number') return;
    const cost = costEvent(totalUsd - this.spentUsd);
    if (cost === null) return;
    this.spentUsd = totalUsd;
    yield cost;
  }

  private takeUp(): void {
    this.takenUp++;
    this.hasResult = false;
  }

  private *system({ subtype, session_id: id, attempt }: Fields): Generator<TurnEvent> {
    if (subtype === 'api_retry') yield status(`the model is asked again (try ${Number(attempt) || 'unknown'})`);
    if (subtype !== 'init' || !isName(id) || id === this.session) return;
    this.session = id;
    yield { type: 'session', id };
  }

  private *message({ message, parent_tool_use_id: parent }: Fields): Generator<TurnEvent> {
    const content = fieldsOf(message)?.['content'];
    if (!Array.isArray(content)) return;
    this.texts.end();
    for (const each of content) {
      const block = fieldsOf(each);
      // What its helpers say among themselves is not the agent's answer.
      if (block?.['type'] === 'text' && typeof block['text'] === 'string' && !isName(parent)) yield this.texts.say(block['text']);
      if (block?.['type'] === 'tool_use' && isName(block['name'])) yield toolEvent(block['name'], block['input']);
    }
  }

  private *result(frame: Fields): Generator<TurnEvent> {
    const { subtype, is_error: isError, result, total_cost_usd: usd, permission_denials: denials } = frame;
    yield* this.cost(usd);
    if (Array.isArray(denials) && denials.length > 0)
      yield status(shown(`not allowed: ${denials.map((each: unknown) => fieldsOf(each)?.['tool_name']).join(', ')}`));
    if (subtype === 'success' && isError !== true) {
      this.hasResult = true;
      if (typeof result === 'string') yield { type: 'result', text: storable(result, Infinity) };
    } else this.fault = faultOf(frame);
  }
}

function faultOf({ subtype, result, errors }: Fields): string {
  const said = [result, ...(Array.isArray(errors) ? errors : [])].filter((each) => typeof each === 'string' && each !== '');
  const sentence = FAULTS[String(subtype)] ?? 'the agent failed';
  return shown(said.length === 0 ? sentence : `${sentence}: ${said.join('; ')}`);
}
