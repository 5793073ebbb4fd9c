import { expect, it } from '@jest/globals';
import { openEndpoint } from '../../../src/core/admission/open-endpoint.js';
import type { Route } from '../../../src/core/routing/route.js';
import { closing, comment, ended, event, lifecycle, prompt, route, subject } from '../builders.js';
import { type Core, delivered, eachCore } from '../core.js';

eachCore('a place that a route is bound to', (open) => {
  const room = { name: 'support', subject: subject('T-1'), title: 'Support' };
  const bound = (change: Parameters<typeof route>[0] = {}) => route({ endpoint: 'support', ...change });
  const opened = (core: Core, at: Route = bound()) => core.database.transaction((tx) => openEndpoint(tx, at, room));

  it('ACC-5 is a conversation before anything was said there, once, and goes on with what is said', async () => {
    const core = open(bound());
    const made = await opened(core);
    expect(await opened(core)).toBeNull();
    expect(await core.conversation(made ?? '')).toMatchObject({ state: 'open', title: 'Support' });
    expect(await core.count('deliveries')).toBe(0);
    const answer = await core.admit(event(prompt('T-1', 'hello', { endpoint: 'support' })));
    expect(delivered(answer)).toMatchObject({ conversation: made, sequence: 1 });
    expect((await core.claimOne()).conversation).toBe(made);
  });

  it('ACC-4 takes the events of that place alone', async () => {
    const core = open(bound());
    for (const endpoint of ['sales', undefined]) {
      const answer = await core.admit(event(prompt('T-2', 'hello', endpoint === undefined ? {} : { endpoint })));
      expect(answer).toMatchObject({ disposition: 'unmatched', deliveries: [] });
    }
  });

  it('IDN-3 is the conversation of its route where that has its own, and is not made of what has ended or goes by another identity', async () => {
    const core = open(bound({ scope: 'automation' }), route({ name: 'all' }));
    const own = await opened(core, bound({ scope: 'automation' }));
    const answer = await core.admit(event(prompt('T-1', 'hello', { endpoint: 'support' })));
    expect(answer.deliveries.map(({ conversation }) => conversation)).toContain(own);
    await core.admit(comment('T-9'));
    await core.admit(closing('T-9', 5));
    const ending = { ...room, subject: subject('T-9') };
    expect(await core.database.transaction((tx) => openEndpoint(tx, bound({ scope: 'automation', name: 'other' }), ending))).toBeNull();
    const moved = { ...lifecycle('T-1', ended(9)), movedTo: subject('T-8') };
    await core.admit(event(moved));
    expect(
      await core.database.transaction((tx) => openEndpoint(tx, bound({ name: 'all' }), { ...room, subject: subject('T-8') })),
    ).toBeNull();
  });
});
