import type { AgentCommand } from '../process/process-options.js';

export interface AcpOptions extends AgentCommand {
  /** The mode of the agent that its sessions are set to; null: the agent's own. */
  readonly mode: string | null;
  /** Who answers when the agent asks for permission: a person, or always the same answer. */
  readonly permissions: 'ask' | 'allow' | 'deny';
  /** Longest time of a turn, without what a person takes to decide. */
  readonly timeoutMs: number;
  /** Longest time until an agent that was started takes messages. */
  readonly startTimeoutMs: number;
  /** How long an agent without a turn is kept. */
  readonly keepAliveMs: number;
}
