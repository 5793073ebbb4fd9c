import { fileURLToPath } from 'node:url';
import { type AgentRuntime, type TurnEvent, TurnFailed, type TurnInput } from '../../src/plugin/index.js';
import { processIdentity } from '../../src/runtimes/process/process-identity.js';

export const folder = fileURLToPath(new URL('.', import.meta.url));

export function turnInput(...texts: string[]): TurnInput {
  return {
    conversation: { id: 'c-1', org: 'default', title: '[PYN-123] Repair', subject: { namespace: 'linear:o:issue', key: 'k' } },
    turn: {
      id: 't-1',
      attempt: 2,
      resumed: false,
      trust: 'untrusted',
      messages: texts.map((text, index) => ({
        delivery: `d-${index}`,
        sequence: index + 1,
        source: 'linear',
        event: 'Comment.create',
        author: 'ada',
        text,
        attachments: [],
        received_at: '2026-11-30T10:00:00.000Z',
        sent_at: '2026-11-30T10:00:01.000Z',
      })),
    },
    session: 's-0',
    workspace: folder,
    mcp: null,
  };
}

export async function run(runtime: AgentRuntime, input = turnInput('hello'), signal = new AbortController().signal): Promise<TurnEvent[]> {
  const events: TurnEvent[] = [];
  for await (const event of runtime.startTurn(input, signal)) events.push(event);
  return events;
}

/** The failure of a turn that must fail. */
export async function failure(turn: Promise<unknown>): Promise<TurnFailed> {
  const error = await turn.then(
    () => new Error('the turn did not fail'),
    (thrown: unknown) => thrown,
  );
  if (error instanceof TurnFailed) return error;
  throw error;
}

export function textOf(events: readonly TurnEvent[]): string {
  return events.map((event) => (event.type === 'text' ? event.text : '')).join('');
}

export function statusesOf(events: readonly TurnEvent[]): string[] {
  return events.flatMap((event) => (event.type === 'status' ? [event.text] : []));
}

/** Whether a process runs; a zombie does not. */
export async function lives(pid: number): Promise<boolean> {
  return (await processIdentity(pid)) !== null;
}
