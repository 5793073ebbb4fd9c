import { afterEach, expect, it } from '@jest/globals';
import { enlist } from '../../src/core/replicas/replicas.js';
import { checkpoint } from '../../src/core/turns/turns.js';
import type { AgentRuntime, TurnEvent } from '../../src/plugin/index.js';
import { comment, route } from '../core/builders.js';
import { type Core, delivered, eachCore, replica } from '../core/core.js';
import { Bench, until } from './harness.js';

eachCore('a turn whose host ended', (open) => {
  let bench: Bench | null = null;

  afterEach(() => bench?.stop());

  /** A turn was begun, and said so, by a replica that is dead by now. */
  const interrupted = async (core: Core) => {
    const { conversation } = delivered(await core.admit(comment('T-1')));
    const dead = await core.database.transaction((tx) => enlist(tx, replica('dead', { pid: 9 }), 60_000));
    const claim = await core.claimOne({ owner: dead });
    await core.database.transaction((tx) => checkpoint(tx, { ...claim, attempt: 1, startedAt: claim.claimedAt }, null));
    await core.change('update replicas set lease_until = 1 where id = ?', dead);
    return conversation;
  };

  const asked: { interrupted: string; resumed: boolean; text: string | undefined }[] = [];

  const runtime = (goesOn: boolean): AgentRuntime => ({
    async *startTurn(input): AsyncIterable<TurnEvent> {
      yield { type: 'result', text: `anew: ${input.turn.messages[0]?.text}` };
    },
    reattach: async (input, turn) => {
      asked.push({ interrupted: turn, resumed: input.turn.resumed, text: input.turn.messages.at(-1)?.text });
      return goesOn ? going() : null;
    },
  });

  async function* going(): AsyncIterable<TurnEvent> {
    yield { type: 'result', text: 'went on' };
  }

  const run = async (core: Core, goesOn: boolean) => {
    asked.length = 0;
    const conversation = await interrupted(core);
    bench = new Bench(core, [route()], { workspaces: [{ runtime: runtime(goesOn) }] });
    await bench.start();
    await until(async () => (await core.queue(conversation)).open === 0);
    const [turn] = await core.rows<{ result: string }>("select result from turns where state = 'done'");
    return { conversation, result: turn?.result };
  };

  it('REC-1 goes on where its runtime can go on with it', async () => {
    const { conversation, result } = await run(open(), true);
    expect(result).toBe('went on');
    expect(asked).toMatchObject([{ interrupted: `${conversation}.1`, resumed: true }]);
  });

  it('REC-1 is run anew, with the interruption named, where there is nothing to go on with', async () => {
    const { result } = await run(open(), false);
    expect(asked).toHaveLength(1);
    expect(result).toMatch(/^anew: \(An earlier try of this turn was interrupted; part of it may be done already\.\)/);
  });
});
