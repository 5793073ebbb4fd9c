import { expect, it } from '@jest/globals';
import { EffectLedger } from '../../../src/core/effects/effect-ledger.js';
import { EffectReading, READING_TIMES } from '../../../src/core/effects/effect-reading.js';
import { Outbound, type OutboundWrite } from '../../../src/core/effects/outbound.js';
import { recover } from '../../../src/core/recovery/recover.js';
import { condemn, enlist } from '../../../src/core/replicas/replicas.js';
import {
  type Connection,
  type EffectReader,
  type Evidence,
  InvalidInput,
  type OutboundTool,
  OutcomeUnknown,
  ProviderFault,
} from '../../../src/plugin/index.js';
import { route, subject } from '../builders.js';
import { type Core, eachCore, replica } from '../core.js';
import { callback, execute, fates, prepare, stateOf } from './writes.js';

const KEY = Buffer.alloc(32, 7);
const CONNECTION: Connection = { name: 'tracker', org: 'default', source: 'public', secrets: [], options: {} };
const MACHINE = { isRunning: async () => false, endProcess: async () => undefined };

class Comment {
  readonly text: string = '';
}

function tool(
  execute: OutboundTool<object, Comment>['execute'],
  change: Partial<OutboundTool<object, Comment>> = {},
): OutboundTool<object, Comment> {
  const scope: OutboundTool['scope'] = (_, binding) => ({ account: 'acme', kind: 'comment', action: 'create', subject: binding.subject });
  return { name: 'comment', input: Comment, scope, execute, ...change };
}

function write(of: OutboundTool<object, Comment>, text = 'hello'): OutboundWrite<Comment> {
  const conversation = '00000000-0000-0000-0000-000000000001';
  return { provider: 'fake', tool: of, binding: { connection: CONNECTION, conversation, subject: subject('A') }, input: { text } };
}

function outboundOf(core: Core, patienceMs = 60_000): Outbound {
  return new Outbound(core.database, new EffectLedger(core.database, core.signals), KEY, () => core.owner, { patienceMs });
}

const evidence: Evidence = { ids: { comment: 'c1', issue: 'A' } };

/** The only effect that there is. */
async function theEffect(
  core: Core,
): Promise<{ id: string; state: string; reason: string | null; resolved_why: string | null; marker: string | null }> {
  const [effect] = await core.rows<Awaited<ReturnType<typeof theEffect>>>('select * from effects');
  if (!effect) throw new Error('there is no effect');
  return effect;
}

eachCore('a write of ours', (open) => {
  it('EFF-1 EFF-7 is executing before the provider is asked, under a key that is its own, and confirmed by the answer', async () => {
    const core = open(route());
    const seen: { state: string; key: string; held: string }[] = [];
    const asked = tool(async (_, __, key) => {
      const held = await core.admit(callback('A', 'c1'));
      seen.push({ state: (await theEffect(core)).state, key, held: held.disposition });
      return evidence;
    });
    const woken: string[] = [];
    core.signals.on('activity', (conversation) => woken.push(conversation));
    const performed = await outboundOf(core).perform(write(asked));
    expect(performed).toMatchObject({ is: 'confirmed', evidence });
    expect(seen).toEqual([
      { state: 'executing', key: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab]/), held: 'held' },
    ]);
    expect(await theEffect(core)).toMatchObject({ state: 'confirmed', marker: null });
    expect(woken.length).toBeGreaterThan(1);
    expect(await core.rows('select outcome from deliveries')).toEqual([{ outcome: 'suppressed' }]);
  });

  it('EFF-1 keeps a keyed hash of what was asked for and nothing of its text', async () => {
    const core = open(route());
    await outboundOf(core).perform(
      write(
        tool(async () => evidence),
        'a secret plan',
      ),
    );
    const [row] = await core.rows<{ request: Buffer }>('select * from effects');
    expect(JSON.stringify(row)).not.toContain('secret');
    expect(row?.request).toHaveLength(32);
  });

  it.each([
    ['a permanent refusal', new ProviderFault('no such issue', 'permanent'), 'refused', 'failed'],
    ['a wrong token', new ProviderFault('who are you', 'unauthorized'), 'refused', 'failed'],
    ['a rate limit before acceptance', new ProviderFault('slow down', 'transient', 1000), 'refused', 'failed'],
    ['input that the tool refuses', new InvalidInput('no'), 'refused', 'failed'],
    ['a lost answer', new OutcomeUnknown('timeout'), 'unknown', 'outcome_unknown'],
    ['a dropped socket', new TypeError('fetch failed'), 'unknown', 'outcome_unknown'],
    ['something that is no error', 'what?', 'unknown', 'outcome_unknown'],
  ])('EFF-4 %s is told apart', async (_, thrown, is, state) => {
    const core = open(route());
    const performed = await outboundOf(core).perform(write(tool(() => Promise.reject(thrown))));
    expect(performed.is).toBe(is);
    expect(await theEffect(core)).toMatchObject({ state });
  });

  it.each([{ ids: {} }, { ids: { comment: '' } }])('EFF-4 half an answer proves nothing: %j', async (half) => {
    const core = open(route());
    expect(await outboundOf(core).perform(write(tool(async () => half)))).toMatchObject({ is: 'unknown' });
  });

  it('EFF-4 an answer that comes too late is unknown first, and heard all the same', async () => {
    const core = open(route());
    let answer: (evidence: Evidence) => void = () => undefined;
    const late = new Promise<Evidence>((resolve) => {
      answer = resolve;
    });
    expect(await outboundOf(core, 5).perform(write(tool(() => late)))).toMatchObject({ is: 'unknown' });
    const { id } = await theEffect(core);
    expect(await stateOf(core, { id })).toBe('outcome_unknown');
    const held = await core.admit(callback('A', 'c1'));
    const heard = new Promise((resolve) => core.signals.once('ready', () => resolve(undefined)));
    answer(evidence);
    await heard;
    expect(await stateOf(core, { id })).toBe('confirmed');
    expect(await fates(core, held)).toEqual(['suppressed']);
  });

  it('EFF-7 a callback with our own id says more than an answer that went wrong', async () => {
    const core = open(route());
    const asked = tool(
      async (_, __, key) => {
        await core.admit(callback('A', 'c1', { marker: key }));
        throw new ProviderFault('contradiction', 'permanent');
      },
      { isMarked: true },
    );
    expect(await outboundOf(core).perform(write(asked))).toMatchObject({ is: 'confirmed', evidence: { ids: { comment: 'c1' } } });
  });

  it('EFF-4 what is given up and then proved stays given up, and its callbacks wake nobody', async () => {
    const core = open(route());
    const asked = await execute(core, 'A');
    const ledger = new EffectLedger(core.database, core.signals);
    await ledger.found(asked.id, { is: 'absent', reason: 'permanent' }, 'host', 'refused');
    expect(await ledger.found(asked.id, { is: 'present', evidence }, 'host', 'late')).toMatchObject({
      isNews: false,
      effect: { state: 'failed' },
    });
    expect(await core.admit(callback('A', 'c1'))).toMatchObject({ disposition: 'suppressed' });
  });

  it('EFF-1 nothing is begun without a lease, by a stopping server, or by one that is taken for dead', async () => {
    const core = open(route());
    let asked = 0;
    const counting = tool(async () => ({ ids: { comment: String(++asked), issue: 'A' } }));
    const ledger = new EffectLedger(core.database, core.signals);
    const homeless = new Outbound(core.database, ledger, KEY, () => null, { patienceMs: 1000 });
    await expect(homeless.perform(write(counting))).rejects.toMatchObject({ code: 'not_writable' });
    const gone = new Outbound(core.database, ledger, KEY, () => 99_999, { patienceMs: 1000 });
    await expect(gone.perform(write(counting))).rejects.toMatchObject({ code: 'not_writable' });
    const stopping = outboundOf(core);
    await stopping.stop(0);
    await expect(stopping.perform(write(counting))).rejects.toMatchObject({ code: 'not_writable' });
    expect(asked).toBe(0);
    expect(await core.count('effects')).toBe(0);
  });

  it('EFF-1 REC-6 an orderly stop waits for answers, and leaves those that do not come as unknown', async () => {
    const core = open(route());
    const outbound = outboundOf(core);
    const asked = new Promise<void>((resolve) => {
      void outbound.perform(
        write(
          tool(() => {
            resolve();
            return new Promise<Evidence>(() => undefined);
          }),
        ),
      );
    });
    await asked;
    await outbound.stop(10);
    expect(await theEffect(core)).toMatchObject({ state: 'outcome_unknown' });
  });
});

eachCore('recovery of the writes of a dead process', (open) => {
  it('REC-1 what was prepared was never sent, what was executing is unknown, what a living replica does is left alone', async () => {
    const core = open(route());
    const dead = await core.database.transaction((tx) => enlist(tx, replica('dead', { pid: 1 }), 600_000));
    const [prepared, executing, living] = [
      await prepare(core, 'A', { owner: dead }),
      await execute(core, 'A', { owner: dead }),
      await execute(core, 'B'),
    ];
    const held = await core.admit(callback('A', 'c1'));
    await core.database.transaction((tx) => condemn(tx, [dead]));
    const summary = await recover(core.database, { id: core.owner, ...replica('first') }, MACHINE);
    expect(summary.repaired.effects).toBe(2);
    expect([await stateOf(core, prepared), await stateOf(core, executing), await stateOf(core, living)]).toEqual([
      'failed',
      'outcome_unknown',
      'executing',
    ]);
    expect(await core.rows('select reason from effects where id = ?', prepared.id)).toEqual([{ reason: 'never_sent' }]);
    expect(await fates(core, held)).toEqual(['held']);
    expect((await recover(core.database, { id: core.owner, ...replica('first') }, MACHINE)).repaired.effects).toBe(0);
  });
});

eachCore('reading back what became of a write', (open) => {
  const find = async (
    core: Core,
    reader: EffectReader['find'] | null,
    settledMs = 0,
  ): Promise<{ reading: EffectReading; faults: string[] }> => {
    const faults: string[] = [];
    const source = () => (reader ? { reader: { find: reader }, connection: CONNECTION } : null);
    const ledger = new EffectLedger(core.database, core.signals);
    const times = { ...READING_TIMES, settledMs, timeoutMs: 1000 };
    return { reading: new EffectReading(core.database, ledger, source, KEY, (fault) => faults.push(fault), times), faults };
  };
  const unknown = async (core: Core): Promise<string> => {
    await outboundOf(core).perform(write(tool(() => Promise.reject(new OutcomeUnknown('lost')))));
    return (await theEffect(core)).id;
  };
  const due = (core: Core) => core.change('update effects set next_read_at = 1 where next_read_at is not null');

  it('EFF-5 confirms what the provider has, and knows it by the fields that were asked for', async () => {
    const core = open(route());
    const id = await unknown(core);
    const held = await core.admit(callback('A', 'c1'));
    const { reading } = await find(core, async (effect) => {
      expect(effect).toMatchObject({ tool: 'comment', scope: { account: 'acme', subject: subject('A') }, marker: null });
      expect([effect.isInput({ text: 'hello' }), effect.isInput({ text: 'other' })]).toEqual([true, false]);
      return evidence;
    });
    expect(await reading.readOne()).toBe(false);
    await due(core);
    expect(await reading.readOne()).toBe(true);
    expect(await stateOf(core, { id })).toBe('confirmed');
    expect(await fates(core, held)).toEqual(['suppressed']);
    expect(await reading.readOne()).toBe(false);
  });

  it('EFF-5 releases what the provider proves absent, but not while the write may still be on its way', async () => {
    const core = open(route());
    const id = await unknown(core);
    const held = await core.admit(callback('A', 'c1'));
    const early = await find(core, async () => 'absent', 600_000);
    await due(core);
    await early.reading.readOne();
    expect(await stateOf(core, { id })).toBe('outcome_unknown');
    const { reading } = await find(core, async () => 'absent');
    await due(core);
    await reading.readOne();
    expect(await stateOf(core, { id })).toBe('reconciled_absent');
    expect(await fates(core, held)).toEqual(['pending']);
  });

  it.each(['unknown', 'throws', 'hangs', 'nobody'])('EFF-5 backs off while nobody knows: %s', async (how) => {
    const core = open(route());
    const id = await unknown(core);
    const answers: Record<string, EffectReader['find'] | null> = {
      unknown: async () => 'unknown',
      throws: () => Promise.reject(new Error('down')),
      hangs: () => new Promise(() => undefined),
      nobody: null,
    };
    const { reading, faults } = await find(core, answers[how] ?? null);
    await due(core);
    expect(await reading.readOne()).toBe(true);
    expect(await reading.readOne()).toBe(false);
    expect(await stateOf(core, { id })).toBe('outcome_unknown');
    expect(await core.rows('select reads from effects')).toEqual([{ reads: 1 }]);
    expect(faults).toHaveLength(how === 'throws' || how === 'hangs' ? 1 : 0);
  });
});
