import type { TurnInput } from '../../plugin/index.js';
import type { AgentCommand } from './process-options.js';

const ALLOWED = /^(PATH|HOME|LANG|LC_[A-Z]+|TERM|TZ|TMPDIR|USER)$/;

type Environment = Readonly<Record<string, string | undefined>>;

/** What of the server's environment an agent may see: a short list, and what the workspace passes on. The server's secrets are in neither. */
export function agentEnvironment(options: AgentCommand, own: Environment = process.env): Record<string, string> {
  const passed = Object.entries(own).filter(([name]) => ALLOWED.test(name) || options.passEnv.includes(name));
  const defined = passed.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  return { ...Object.fromEntries(defined), ...options.env };
}

/** The environment of one turn. */
export function turnEnvironment(options: AgentCommand, input: TurnInput): Record<string, string> {
  return {
    ...agentEnvironment(options),
    THROUGHLINE_CONVERSATION_ID: input.conversation.id,
    THROUGHLINE_TURN_ID: input.turn.id,
    THROUGHLINE_WORKSPACE: input.workspace,
    ...(input.session === null ? {} : { THROUGHLINE_SESSION_ID: input.session }),
    ...(input.mcp === null ? {} : { THROUGHLINE_MCP_URL: input.mcp.url, THROUGHLINE_MCP_TOKEN: input.mcp.token }),
  };
}

/** Variables with this start configure the server itself and are never passed on. */
export function isServerSetting(name: string): boolean {
  return name.toUpperCase().startsWith('THROUGHLINE_');
}
