import type { AutomationSpec } from '../../../src/core/automations/automation.js';
import { type ReadSpec, readSpec } from '../../../src/core/automations/read-spec.js';
import type { Surroundings } from '../../../src/core/automations/surroundings.js';

export const AROUND: Surroundings = {
  runtimes: new Map([
    ['helper', { agent: 'echo', isSandboxed: false }],
    ['box', { agent: 'agent-server', isSandboxed: true }],
  ]),
  workspaces: new Map([
    ['main', { runtime: 'helper' }],
    ['boxed', { runtime: 'box' }],
  ]),
  sources: new Map([
    ['tracker', { namesSubjects: true }],
    ['hooks', { namesSubjects: false }],
  ]),
};

export const TRIGGER = { type: 'event', source: 'tracker', on: ['issues.*'] };
export const WRITTEN = { name: 'triage', triggers: [TRIGGER], prompt: 'Look at it.', runtime: 'helper' };

export function read(change: Record<string, unknown>, around: Surroundings = AROUND): ReadSpec {
  return readSpec({ ...WRITTEN, ...change }, around);
}

export function spec(change: Record<string, unknown> = {}): AutomationSpec {
  const { spec: made, faults } = read(change);
  if (faults.length > 0) throw new Error(JSON.stringify(faults));
  return made;
}
