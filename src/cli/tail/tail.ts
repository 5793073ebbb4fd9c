import { setTimeout as pause } from 'node:timers/promises';
import { isConversationId } from '../../core/conversations/conversation-id.js';
import type { Terminal } from '../terminal.js';
import { UsageFault } from '../usage-fault.js';
import { type AdminApiOptions, adminApiOf } from './admin-api.js';
import { follow } from './follow.js';

export interface TailOptions extends AdminApiOptions {
  readonly conversation?: string;
}

const POLL_MS = 1000;

export async function tail(options: TailOptions, terminal: Terminal): Promise<void> {
  const { conversation } = options;
  if (conversation !== undefined && !isConversationId(conversation)) {
    throw new UsageFault(`--conversation: \`${conversation}\` is no id of a conversation`);
  }
  const signal = terminal.interrupted();
  const api = await adminApiOf(options, terminal, signal);
  const wait = () => pause(POLL_MS, undefined, { signal }).catch(() => undefined);
  await follow(api, conversation ?? null, { terminal, signal, wait });
}
