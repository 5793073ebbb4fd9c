import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { RunFailure } from '../../../src/automations/runs/run-failure.js';
import type { RunWay } from '../../../src/automations/runs/ways.js';
import { comment } from '../../core/builders.js';
import { eachCore } from '../../core/core.js';
import { until } from '../../worker/harness.js';
import { Dispatching } from './dispatching.js';

/** A way that does what it is told, each time it is gone. */
class ScriptedWay implements RunWay {
  readonly opened: string[] = [];
  readonly stopped: string[] = [];

  constructor(private readonly script: (nth: number, signal: AbortSignal) => Promise<'open' | 'later'>) {}

  async open({ id }: { readonly id: string }, signal: AbortSignal): Promise<'open' | 'later'> {
    signal.addEventListener('abort', () => this.stopped.push(id));
    this.opened.push(id);
    return this.script(this.opened.length, signal);
  }
}

const never = (signal: AbortSignal) => new Promise<'open'>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

eachCore('the dispatcher of runs', (open) => {
  let runs: Dispatching;

  beforeEach(async () => {
    runs = await Dispatching.over(open());
    await runs.automated.make();
  });
  afterEach(() => runs.stop());

  const admit = (...keys: string[]) => runs.core.admitAll(...keys.map((key) => comment(key)));
  const [failing, queued] = [new Error('no room'), 'queued'];

  /** What a worker does, as long as there is something. */
  async function work(): Promise<void> {
    for (const claim of await runs.core.claim()) {
      await runs.core.finish(claim);
      runs.core.signals.emit('activity', claim.conversation);
    }
  }

  it('AUT-8 begins what waits as there is room for it, and ends it when its agent is at rest', async () => {
    runs.dispatcher(undefined, 2);
    await admit('T-1', 'T-2', 'T-3', 'T-4', 'T-5');
    runs.core.signals.emit('runs');
    await until(async () => {
      const live = (await runs.states()).filter((state) => state === 'starting' || state === 'running').length;
      expect(live).toBeLessThanOrEqual(2);
      await work();
      return (await runs.states()).every((state) => state === 'completed');
    });
  });

  it('AUT-8 a start that fails is tried again; one that never works fails, and its message with it', async () => {
    const way = new ScriptedWay(async (nth) => {
      if (nth < 3) throw failing;
      return 'open';
    });
    runs.dispatcher(() => way);
    await admit('T-1');
    await until(async () => (await runs.states())[0] === 'running');
    expect(way.opened).toHaveLength(3);
    await work();
    await runs.ended();

    const broken = new ScriptedWay(async () => {
      throw failing;
    });
    await runs.stop();
    runs = await Dispatching.over(open());
    runs.dispatcher(() => broken);
    await admit('T-2');
    await until(async () => (await runs.states()).includes('failed'));
    const [row] = await runs.core.rows("select error, detail, attempt from runs where state = 'failed'");
    expect(row).toEqual({ error: 'start_failed', detail: 'no room', attempt: 2 });
  });

  it("AUT-8 what trying again cannot mend fails at once; what is nobody's failure is skipped", async () => {
    const way = new ScriptedWay(async (nth) => {
      throw nth === 1 ? new RunFailure('unconfigured', 'there is no runtime box') : new RunFailure('no_capacity', 'later', 'skip');
    });
    runs.dispatcher(() => way);
    await admit('T-1');
    await runs.ended();
    await admit('T-2');
    await runs.ended();
    expect(await runs.core.rows('select state, error from runs order by created_at, id')).toEqual([
      { state: 'failed', error: 'unconfigured' },
      { state: 'skipped', error: 'no_capacity' },
    ]);
  });

  it('AUT-9 cancelling a run that is being prepared stops whoever prepares it, and nothing of it is opened', async () => {
    const way = new ScriptedWay((_, signal) => never(signal));
    runs.dispatcher(() => way);
    const [answer] = await admit('T-1');
    await until(() => way.opened.length === 1);
    const run = answer?.runs_created[0] ?? '';
    await runs.desk.cancel('default', run, 'ada');
    await until(() => way.stopped.length === 1);
    expect(await runs.states()).toEqual(['cancelled']);
    expect(await runs.core.claim()).toEqual([]);
  });

  it('AUT-9 a replica that stops leaves what it prepared to others, and what is open is gone on with', async () => {
    const way = new ScriptedWay((nth, signal) => (nth === 1 ? Promise.resolve('open') : never(signal)));
    const dispatcher = runs.dispatcher(() => way);
    await admit('T-1');
    await until(async () => (await runs.states())[0] === 'running');
    await admit('T-2');
    await until(() => way.opened.length === 2);
    await dispatcher.stop();
    expect(
      (await runs.core.rows<{ state: string; owner: number | null }>('select state, owner from runs')).toSorted((a, b) =>
        a.state < b.state ? -1 : 1,
      ),
    ).toEqual([
      { state: queued, owner: null },
      { state: 'running', owner: null },
    ]);
    runs.dispatcher();
    await until(async () => {
      await work();
      return (await runs.states()).every((state) => state === 'completed');
    });
  });
});
