import type { AutomationSpec } from './automation.js';

/** An automation as a change finds it, or leaves it. */
export interface Edition {
  readonly spec: AutomationSpec;
  /** What its agents are, as `agentOf` says it. */
  readonly agent: string | null;
}

/** Whether what comes after a change is answered in conversations of its own, since the agents there are others. */
export function raisesGeneration(before: Edition, after: Edition): boolean {
  switch (after.spec.on_edit) {
    case 'keep':
      return false;
    case 'rekey':
      return isOtherAgent(before, after) || JSON.stringify(before.spec) !== JSON.stringify(after.spec);
    case null:
      return isOtherAgent(before, after);
  }
}

/** A runtime that is not there at the moment tells nothing; it may come back as what it was. */
function isOtherAgent(before: Edition, after: Edition): boolean {
  const isOtherRuntime = before.agent !== null && after.agent !== null && before.agent !== after.agent;
  return isOtherRuntime || before.spec.tarball !== after.spec.tarball || before.spec.entrypoint !== after.spec.entrypoint;
}
