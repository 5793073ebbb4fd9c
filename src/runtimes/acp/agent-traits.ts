import { PROTOCOL_VERSION } from '@agentclientprotocol/sdk';
import { TurnFailed } from '../../plugin/index.js';
import { fieldsOf } from '../process/agent-event.js';

/** What an agent says of itself when it is started. */
export interface AgentTraits {
  /** Takes a session up again and tells all of it once more. */
  readonly loads: boolean;
  /** Takes a session up again without a word. */
  readonly resumes: boolean;
  /** Reaches tools by HTTP. */
  readonly takesHttpTools: boolean;
  /** Ways to log in. */
  readonly logins: readonly string[];
}

/** Throws `TurnFailed` when the agent speaks another version of the protocol. */
export function traitsOf(answer: unknown): AgentTraits {
  const { protocolVersion, agentCapabilities, authMethods } = fieldsOf(answer) ?? {};
  if (protocolVersion !== PROTOCOL_VERSION) {
    throw new TurnFailed(
      `the agent speaks version ${JSON.stringify(protocolVersion)} of the Agent Client Protocol and this server version ${PROTOCOL_VERSION}; take a version of the agent that speaks it`,
    );
  }
  const capabilities = fieldsOf(agentCapabilities) ?? {};
  const methods = Array.isArray(authMethods) ? authMethods.map((method: unknown) => fieldsOf(method)?.['name']) : [];
  return {
    loads: capabilities['loadSession'] === true,
    resumes: fieldsOf(fieldsOf(capabilities['sessionCapabilities'])?.['resume']) !== null,
    takesHttpTools: fieldsOf(capabilities['mcpCapabilities'])?.['http'] === true,
    logins: methods.filter((name) => typeof name === 'string'),
  };
}
