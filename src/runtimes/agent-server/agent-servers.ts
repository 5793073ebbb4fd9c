/** Where the agent server of a conversation is. */
export interface AgentServerPlace {
  /** Without `/api`, without a slash at the end. */
  readonly url: string;
  readonly apiKey: string | null;
}

/** Where conversations live. */
export interface AgentServers {
  /** Null: nowhere, or nowhere any more. A place that sleeps is woken first. */
  find(conversation: string, signal: AbortSignal): Promise<AgentServerPlace | null>;
  /** Resolves to why there can be none, or null. */
  check?(): Promise<string | null>;
}

/** One that is always there. */
export class FixedAgentServer implements AgentServers {
  constructor(private readonly place: AgentServerPlace) {}

  async find(): Promise<AgentServerPlace> {
    return this.place;
  }

  async check(): Promise<string | null> {
    const limit = AbortSignal.timeout(CHECK_MS);
    const answer = await fetch(`${this.place.url}/health`, { signal: limit, redirect: 'error' }).catch(() => null);
    return answer?.ok === true ? null : `no agent server answers at ${this.place.url}: start it, or correct \`url\``;
  }
}

const CHECK_MS = 3000;
