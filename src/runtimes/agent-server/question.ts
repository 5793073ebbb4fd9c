import type { TurnEvent } from '../../plugin/index.js';
import type { AgentServerEvent } from './answers.js';

type Question = Extract<TurnEvent, { readonly type: 'approval' }>;

/** What a person is to confirm: what says that it waits for that, else the last thing that was done. */
export function questionOf(actions: readonly AgentServerEvent[]): Question {
  const waiting = actions.filter(({ fields }) => fields['awaits_confirmation'] === true);
  const asked = waiting.length > 0 ? waiting : actions.slice(-1);
  const names = asked.map(({ fields }) => String(fields['tool_name'] ?? 'something'));
  const body = asked.map(({ fields }) => shown(fields['action'])).join('\n\n');
  return {
    type: 'approval',
    id: asked.at(-1)?.id ?? 'confirmation',
    title: names.join(', ') || 'The agent waits for confirmation',
    body: body || 'It does not say for what.',
  };
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}
