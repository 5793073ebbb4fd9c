import type { Notice } from '../core/admission/admissions.js';
import { ConversationTasks } from '../core/conversation-tasks.js';
import type { OutboundWrite, Performed } from '../core/effects/outbound.js';
import type { Database } from '../database/database.js';
import { type OutboundBinding, type OutboundTool, ProviderFault, type TaskDesk } from '../plugin/index.js';
import type { Work } from './claim-work.js';
import type { ConnectedProvider } from './providers.js';

/** What working on a delivery may bring about beside its turn. */
export interface Hands {
  tell(notice: Notice): Promise<unknown>;
  perform(write: OutboundWrite): Promise<Performed>;
}

const WRITTEN_AGAIN_MS = 2_000;

/** The desk of the conversation that is worked on, under its claim. */
export function taskDesk(
  { claim, conversation }: Pick<Work, 'claim' | 'conversation'>,
  provider: string,
  { connection }: ConnectedProvider,
  { database, hands }: { readonly database: Database; readonly hands: Hands },
): TaskDesk {
  const tasks = new ConversationTasks(database, conversation.id, claim);
  const { id, org, namespace, key } = conversation;
  const binding: OutboundBinding = { connection, conversation: id, subject: { namespace, key } };
  // What it quotes of its subject anybody may have written.
  const trust = connection.source === 'private' ? ('trusted' as const) : ('untrusted' as const);
  return {
    read: () => tasks.read(),
    take: (step, by) => tasks.take(step, by),
    tell: async ({ id: message, text }) => {
      const told = { org, conversation: id, text, wake: true, by: 'throughline', source: 'tasks', eventKey: 'task', trust } as const;
      await hands.tell({ ...told, id: `task:${id}:${message}` });
    },
    write: async (tool, input) => settled(await hands.perform({ provider, tool: tool as unknown as OutboundTool, binding, input })),
  };
}

function settled(performed: Performed): void {
  if (performed.is === 'refused') throw performed.fault;
  if (performed.is === 'unknown')
    throw new ProviderFault(`nobody knows yet whether it was written: ${performed.fault.message}`, 'transient', WRITTEN_AGAIN_MS);
}
