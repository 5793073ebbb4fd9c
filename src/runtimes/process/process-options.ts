/** How the program of an agent is started and ended. */
export interface AgentCommand {
  /** The program, looked up on the PATH unless it has a slash, and its arguments. */
  readonly command: readonly string[];
  /** The folder that the program starts in; null: the turn's workspace. */
  readonly cwd: string | null;
  /** Variables added to the allow-listed ones. */
  readonly env: Readonly<Record<string, string>>;
  /** Longest time without any output; null: no limit. */
  readonly idleTimeoutMs: number | null;
  /** Names of the server's own variables that the agent may see, as the workspace allows. */
  readonly passEnv: readonly string[];
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs: number;
}

export interface ProcessOptions extends AgentCommand {
  /** `events`: one JSON object a line; `text`: all of stdout is the result. */
  readonly output: 'events' | 'text';
  /** Longest time of a turn. */
  readonly timeoutMs: number;
}
