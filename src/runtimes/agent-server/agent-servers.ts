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
}
