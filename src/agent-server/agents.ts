import { ConfigFault } from '../plugin/errors.js';
import type { AgentRuntime } from '../plugin/index.js';
import { createRuntime, localKinds } from '../runtimes/create-runtime.js';

export const AGENT_KINDS = Object.keys(localKinds).sort();

/** One runtime for each way an agent is asked for: those of one kind with one set of options share what they keep. */
export class Agents {
  private readonly made = new Map<string, AgentRuntime>();

  /** Throws `ConfigFault` where there is no such kind, or its options are wrong. */
  of({ kind, ...options }: Readonly<Record<string, unknown>>): AgentRuntime {
    if (typeof kind !== 'string') throw new ConfigFault(`agent.kind is missing; the kinds are ${AGENT_KINDS.join(', ')}`);
    const key = JSON.stringify([kind, options]);
    const known = this.made.get(key);
    if (known !== undefined) return known;
    const runtime = createRuntime(kind, options, localKinds);
    this.made.set(key, runtime);
    return runtime;
  }

  async close(): Promise<void> {
    await Promise.all([...this.made.values()].map((runtime) => runtime.close?.()));
  }
}
