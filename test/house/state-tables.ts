import { readFileSync } from 'node:fs';
import { execution } from '../../src/agent-server/execution.js';
import { approval } from '../../src/core/approvals/approval.js';
import { automation } from '../../src/core/automations/automation.js';
import { control } from '../../src/core/controls/control.js';
import { errand } from '../../src/core/controls/errand.js';
import { conversation } from '../../src/core/conversations/conversation.js';
import { delivery } from '../../src/core/deliveries/delivery.js';
import { effect } from '../../src/core/effects/effect.js';
import { job } from '../../src/core/jobs/job.js';
import type { Machine } from '../../src/core/machine.js';
import { run } from '../../src/core/runs/run.js';
import { sandbox } from '../../src/core/sandboxes/sandbox.js';
import { task } from '../../src/core/tasks/task.js';
import { turn } from '../../src/core/turns/turn.js';
import { source } from '../../src/ingress/sources/source.js';

/** Each machine, and the file whose comment says what its states mean. */
const MACHINES: readonly [Machine, string][] = [
  [approval as unknown as Machine, 'src/core/approvals/approval.ts'],
  [automation as unknown as Machine, 'src/core/automations/automation.ts'],
  [conversation as unknown as Machine, 'src/core/conversations/conversation.ts'],
  [delivery as unknown as Machine, 'src/core/deliveries/delivery.ts'],
  [effect as unknown as Machine, 'src/core/effects/effect.ts'],
  [job as unknown as Machine, 'src/core/jobs/job.ts'],
  [run as unknown as Machine, 'src/core/runs/run.ts'],
  [sandbox as unknown as Machine, 'src/core/sandboxes/sandbox.ts'],
  [task as unknown as Machine, 'src/core/tasks/task.ts'],
  [turn as unknown as Machine, 'src/core/turns/turn.ts'],
  [control as unknown as Machine, 'src/core/controls/control.ts'],
  [errand as unknown as Machine, 'src/core/controls/errand.ts'],
  [source as unknown as Machine, 'src/ingress/sources/source.ts'],
  [execution as unknown as Machine, 'src/agent-server/execution.ts'],
];

/** The state machines as Markdown: a table each, in the order of their states. */
export function stateTables(): string {
  return MACHINES.map(([machine, file]) => stateTable(machine, file)).join('\n');
}

function stateTable({ name, table, states }: Machine, file: string): string {
  const meanings = meaningsIn(file);
  const rows = states.map((state) => `| \`${state}\` | ${meanings.get(state) ?? ''} | ${stepsFrom(table[state] ?? {})} |`);
  return [
    `#### ${name}`,
    '',
    `[${file}](${file.replace(/^src\//, '')})`,
    '',
    '| state | meaning | steps |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

/** The events that lead to one state stand together. */
function stepsFrom(steps: Readonly<Record<string, string>>): string {
  const targets = [...new Set(Object.values(steps))];
  const eventsTo = (target: string) => Object.keys(steps).filter((event) => steps[event] === target);
  return targets.map((target) => `${eventsTo(target).join(', ')} → \`${target}\``).join('; ') || 'final';
}

/** Lines such as ` *   open   events about it wake the agent` in the comment above a table. */
function meaningsIn(file: string): ReadonlyMap<string, string> {
  const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
  const lines = [...text.matchAll(/^ \* {3}(\w+) +(\S.*)$/gm)];
  return new Map(lines.map(([, state = '', meaning = '']) => [state, meaning]));
}
