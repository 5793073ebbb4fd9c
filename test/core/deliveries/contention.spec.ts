import { setImmediate as others } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import type { Claim } from '../../../src/core/deliveries/claim.js';
import type { ClaimEnd, RetryPolicy } from '../../../src/core/deliveries/end-claims.js';
import { closing, comment, event, opened, prompt } from '../builders.js';
import { type Core, done, eachCore, SAID } from '../core.js';

const DURATION_MS = 3000;
const SUBJECTS = 40;
const AT_ONCE: RetryPolicy = { maxAttempts: 1000, backoff: { firstMs: 1, factor: 1, maxMs: 1 } };

/** Small, and the same in every run. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state % below;
  };
}

function endOf(claim: Claim, dice: number): ClaimEnd {
  const lifecycle = claim.head.kind === 'lifecycle';
  if (lifecycle || dice > 1) return done(claim);
  if (dice === 1) return { claim, how: 'failed', failure: 'no', onDead: 'stall', turn: { ...SAID, state: 'failed' } };
  return done({ ...claim, token: claim.token - 1 });
}

eachCore('accepters, claimers and finalizers at once', (open) => {
  it('FIF-9 B41 B44 lose nothing, leave no gap, wake everybody, and do not deadlock', async () => {
    const core = open();
    const { core: other, close } = await core.another();
    const until = performance.now() + DURATION_MS;
    let isAccepting = true;
    let accepted = 0;

    const accept = async (process: Core, seed: number) => {
      const random = randomFrom(seed);
      while (performance.now() < until) {
        const events = Array.from({ length: 1 + random(30) }, () => comment(`S-${random(SUBJECTS)}`));
        const again = events.slice(0, random(3));
        const answers = await Promise.all([...events, ...again].map((each) => process.admit(each)));
        accepted += answers.filter(({ duplicate, disposition }) => !duplicate && disposition === 'routed').length;
      }
    };
    const endAndReopen = async (process: Core) => {
      for (let second = 1; performance.now() < until; second += 2) {
        const key = `S-${second % 5}`;
        await process.admit(closing(key, second));
        const answer = await process.admit(event(prompt(key, 'reopened', { observation: opened(second + 1) })));
        accepted += Number(answer.disposition === 'routed');
      }
    };
    const work = async (process: Core, seed: number) => {
      const random = randomFrom(seed);
      const held: Claim[] = [];
      for (let idle = 0; isAccepting || held.length > 0 || idle < 5; ) {
        const claims = await process.claim({ limit: 1 + random(20), coalesce: () => 1 + random(5), widest: 5 });
        held.push(...claims);
        const ending = held.splice(0, 1 + random(held.length + 1));
        const results = await process.endAll(
          ending.map((claim) => endOf(claim, random(10))),
          AT_ONCE,
        );
        // What was answered as stale by its forged token is still ours to end.
        const again = ending.filter((_, i) => results[i] === 'stale');
        await process.endAll(again.map(done), AT_ONCE);
        // SQLite answers without ever leaving this tick.
        await others();
        idle = claims.length === 0 ? idle + 1 : 0;
      }
    };

    const accepting = Promise.all([
      accept(core, 1),
      accept(core, 2),
      accept(other, 3),
      accept(other, 4),
      endAndReopen(core),
      endAndReopen(other),
    ]);
    const working = [core, core, other, other].map((process, i) => work(process, 10 + i));
    await accepting;
    isAccepting = false;
    await Promise.all(working);
    await drain(core);

    expect(await core.rows("select count(*) as open from deliveries where state <> 'completed'")).toEqual([{ open: 0 }]);
    expect(await core.rows("select count(*) as prompts from deliveries where kind = 'prompt'")).toEqual([{ prompts: accepted }]);
    expect(await overlaps(core)).toEqual([]);
    expect(accepted).toBeGreaterThan(0);
    await close();
  }, 60_000);
});

/** Ends what waits for another attempt when the workers went home. */
async function drain(core: Core): Promise<void> {
  for (;;) {
    await core.change('update queues set ready_at = 1 where ready_at is not null');
    await core.change('update deliveries set due_at = 1 where due_at is not null');
    const claims = await core.claim();
    if (claims.length === 0) return;
    await core.endAll(claims.map(done), AT_ONCE);
  }
}

/** Turns that were done under a later token with messages not behind those of an earlier one. */
function overlaps(core: Core): Promise<unknown[]> {
  return core.rows(
    `select a.conversation, a.token, b.token as later from turns a join turns b
       on b.conversation = a.conversation and b.token > a.token and b.from_sequence <= a.to_sequence
      where a.state = 'done' and b.state = 'done'`,
  );
}
