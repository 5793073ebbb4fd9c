import { afterEach } from '@jest/globals';
import type { ControlLimits } from '../../../src/plugin/index.js';
import { route } from '../../core/builders.js';
import type { Core } from '../../core/core.js';
import { type Chat, ChatChannel } from '../../fakes/channel/index.js';
import { Bench, type BenchOptions } from '../harness.js';

const AT_ONCE = { maxAttempts: 2, backoff: { firstMs: 0, factor: 1, maxMs: 0 } };

/** Workers whose turns are shown in a chat, for the tests of one block; they are stopped after each. */
export function chatBenches() {
  const benches: Bench[] = [];
  afterEach(async () => {
    await Promise.all(benches.splice(0).map((each) => each.stop()));
  });
  return {
    bench: async (core: Core, chat: Chat, options: BenchOptions = {}, limits?: ControlLimits) => {
      const made = new Bench(core, [route()], { retry: AT_ONCE, channel: new ChatChannel(chat, limits), ...options });
      benches.push(made);
      await made.start();
      return made;
    },
    /** Those so far are left as they are, as by a kill. */
    forget: () => void benches.splice(0),
  };
}

/** Nothing is left to be done at a channel. */
export const areDone = (core: Core) => async () => (await core.rows('select id from errands where ended_at is null')).length === 0;
