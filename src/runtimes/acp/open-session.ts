import { type ClientContext, type McpServer, methods, RequestError } from '@agentclientprotocol/sdk';
import { type TurnEvent, TurnFailed, type TurnInput } from '../../plugin/index.js';
import { type Fields, fieldsOf, isName } from '../process/agent-event.js';
import type { AgentTraits } from './agent-traits.js';

/** What a session is opened with. */
export interface SessionRequest {
  readonly traits: AgentTraits;
  readonly input: TurnInput;
  readonly mode: string | null;
  /** Where the agent runs; null: in the folder of the turn. */
  readonly cwd: string | null;
  readonly say: (event: TurnEvent) => void;
}

interface Opened {
  readonly id: string;
  readonly modes: Fields | null;
}

const RESOURCE_NOT_FOUND = -32002;
const UNKNOWN_SESSION = /not found|unknown|no such|no (conversation|rollout|session)|does ?n[o']t exist|invalid session/i;

/** Goes on with the session that the conversation had, where the agent can and still knows it; else begins one. Resolves to its id. */
export async function openSession(agent: ClientContext, request: SessionRequest): Promise<string> {
  const { input, mode, cwd, say } = request;
  const asked = { cwd: cwd ?? input.workspace, mcpServers: toolsOf(request) };
  const earlier = input.session === null ? null : await takeUp(agent, request, { ...asked, sessionId: input.session });
  const opened = earlier ?? (await begin(agent, asked));
  if (opened.id !== input.session) say({ type: 'session', id: opened.id });
  if (mode !== null) await setMode(agent, opened, mode);
  return opened.id;
}

async function takeUp(
  agent: ClientContext,
  { traits, say }: SessionRequest,
  asked: { readonly cwd: string; readonly mcpServers: McpServer[]; readonly sessionId: string },
): Promise<Opened | null> {
  const method = traits.resumes ? methods.agent.session.resume : traits.loads ? methods.agent.session.load : null;
  if (method === null) {
    say({ type: 'status', text: 'the agent cannot take up an earlier session: it begins anew' });
    return null;
  }
  try {
    const answer: unknown = await agent.request(method, asked);
    return { id: asked.sessionId, modes: fieldsOf(fieldsOf(answer)?.['modes']) };
  } catch (error) {
    if (!isUnknownSession(error)) throw error;
    say({ type: 'status', text: 'the agent no longer knows its earlier session: it begins anew' });
    return null;
  }
}

async function begin(agent: ClientContext, asked: { readonly cwd: string; readonly mcpServers: McpServer[] }): Promise<Opened> {
  const answer = fieldsOf(await agent.request(methods.agent.session.new, asked));
  const id = answer?.['sessionId'];
  if (!isName(id)) throw new TurnFailed('the agent opened a session without a usable id');
  return { id, modes: fieldsOf(answer?.['modes']) };
}

/** Other refusals may pass: to begin anew for them would make the agent forget. */
function isUnknownSession(error: unknown): boolean {
  if (!(error instanceof RequestError)) return false;
  return error.code === RESOURCE_NOT_FOUND || UNKNOWN_SESSION.test(`${error.message} ${JSON.stringify(error.data ?? '')}`);
}

async function setMode(agent: ClientContext, { id, modes }: Opened, mode: string): Promise<void> {
  if (modes?.['currentModeId'] === mode) return;
  const available = Array.isArray(modes?.['availableModes']) ? modes['availableModes'] : [];
  const known = available.map((each: unknown) => fieldsOf(each)?.['id']);
  if (known.length > 0 && !known.includes(mode))
    throw new TurnFailed(`the agent has no mode ${mode}; its modes are ${known.join(', ')}: correct the runtime's mode`);
  await agent.request(methods.agent.session.setMode, { sessionId: id, modeId: mode });
}

function toolsOf({ traits, input: { mcp }, say }: SessionRequest): McpServer[] {
  if (mcp === null) return [];
  if (!traits.takesHttpTools) {
    say({ type: 'status', text: 'the agent reaches no tools by HTTP: it works without those of its conversation' });
    return [];
  }
  return [{ type: 'http', name: 'throughline', url: mcp.url, headers: [{ name: 'Authorization', value: `Bearer ${mcp.token}` }] }];
}
