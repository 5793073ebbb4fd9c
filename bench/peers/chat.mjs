// The chat SDK with its GitHub adapter, which verifies, parses and remembers message ids by itself. Messages that it hands over as skipped
// count as handled: they are there, oldest first, for whoever wants them.
import { createGitHubAdapter } from '@chat-adapter/github';
import { Chat, ConsoleLogger } from 'chat';

const CONCURRENCY = { strategy: 'queue', maxQueueSize: 1_000_000, queueEntryTtlMs: 3_600_000 };

export function startChat(state, { handle, secret }) {
  const logger = new ConsoleLogger('error');
  const github = createGitHubAdapter({ token: 'none', webhookSecret: secret, userName: 'bench-bot', botUserId: 1, logger });
  const bot = new Chat({ userName: 'bench-bot', adapters: { github }, state, logger, concurrency: CONCURRENCY });
  bot.onNewMessage(/bench:/, async (_thread, message, context) => {
    await handle([...(context?.skipped ?? []), message].map(({ text }) => text));
  });
  const running = new Set();
  const waitUntil = (task) => running.add(task.finally(() => running.delete(task)));
  return {
    acceptRequest: async ({ url, headers }, body) => {
      const response = await bot.webhooks.github(new Request(`http://127.0.0.1${url}`, { method: 'POST', headers, body }), { waitUntil });
      if (!response.ok) throw Object.assign(new Error(await response.text()), { status: response.status });
      return { received: true };
    },
    stop: async () => {
      await Promise.allSettled(running);
      await bot.shutdown();
    },
  };
}
