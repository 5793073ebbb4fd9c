import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { raisesGeneration } from '../../../src/core/automations/raises-generation.js';
import { readSpec } from '../../../src/core/automations/read-spec.js';
import { refusalOf } from '../../../src/core/automations/spec-fault.js';
import { agentOf } from '../../../src/core/automations/surroundings.js';
import { amended, writtenSpec } from '../../../src/core/automations/written-spec.js';
import { AROUND, read, spec, TRIGGER, WRITTEN } from './specs.js';

function faultsOf(change: Record<string, unknown>): string[] {
  return read(change).faults.map(({ path, code }) => `${path} ${code}`);
}

const trigger = (change: Record<string, unknown>) => ({ triggers: [{ ...TRIGGER, ...change }] });
const cron = (change: Record<string, unknown>) => ({ triggers: [{ type: 'cron', schedule: '0 9 * * 1-5', ...change }] });

describe('an automation as it is written', () => {
  it('AUT-1 has every default filled in', () => {
    expect(read({})).toEqual({
      faults: [],
      spec: {
        name: 'triage',
        triggers: [
          {
            ...{ type: 'event', source: 'tracker', on: ['issues.*'], filter: null, destination: 'dispatch_run' },
            ...{ subject_key_expr: null, turn_text_expr: null, wake_agent: true },
            ...{ authors: { allow: [], bots: false, self: false }, coalesce: 20, debounce_ms: null },
          },
        ],
        ...{ prompt: 'Look at it.', tarball: null, entrypoint: null, runtime: 'helper', workspace: null, timeout_ms: 600_000 },
        ...{ keep_alive: false, concurrency: 'allow', on_sandbox_gone: 'restart', on_edit: null },
      },
    });
    expect(spec(cron({})).triggers).toEqual([{ type: 'cron', schedule: '0 9 * * 1-5', timezone: 'UTC', catch_up: 'one' }]);
  });

  it('AUT-2 takes the spellings of routes and of triggers, one pattern or several, seconds or durations', () => {
    const ofRoutes = { type: 'event', connection: 'tracker', on: 'issues.*', subject: 'id', text: 'title', wake: false, debounce: '2s' };
    const ofTriggers = { ...TRIGGER, subject_key_expr: 'id', turn_text_expr: 'title', wake_agent: false, debounce: 2 };
    expect(spec({ triggers: [ofRoutes], timeout: '90s' })).toEqual(spec({ triggers: [ofTriggers], timeout: 90 }));
    expect(faultsOf(trigger({ subject: 'id', subject_key_expr: 'id' }))).toEqual(['triggers[0].subject invalid_value']);
  });

  it('AUT-1 is read again as what it was', () => {
    const all = {
      ...{
        triggers: [
          { ...TRIGGER, debounce: '1500ms', authors: { allow: ['ada'], bots: true } },
          { type: 'cron', schedule: '*/5 * * * *' },
        ],
      },
      ...{ timeout: '1s', keep_alive: true, concurrency: 'queue', on_sandbox_gone: 'drop', on_edit: 'rekey' },
    };
    for (const each of [spec(), spec(all), spec({ runtime: null, workspace: 'main' })])
      expect(readSpec(JSON.parse(JSON.stringify(writtenSpec(each))), AROUND)).toEqual({ spec: each, faults: [] });
  });

  it('AUT-1 tells everything that is wrong at once, each with its path', () => {
    const written = {
      triggers: [{ type: 'push' }, { type: 'event', on: ['{a'], filter: 'a[' }, 'x'],
      ...{ prompt: '', runtime: 'helpr', timeout: 1801, keep_alive: 'yes', concurrency: 'one', on_edit: 3, extra: 1, constructor: 1 },
    };
    expect(readSpec(written, AROUND).faults.map(({ path, code }) => `${path} ${code}`)).toEqual([
      'name missing',
      'triggers[0].type invalid_value',
      'triggers[1].source missing',
      'triggers[1].on[0] pattern_invalid',
      'triggers[1].filter expression_invalid',
      'triggers[2] invalid_type',
      'prompt invalid_value',
      'runtime runtime_unknown',
      'timeout invalid_value',
      'keep_alive invalid_type',
      'concurrency invalid_value',
      'on_edit invalid_value',
      'extra unknown_field',
      'constructor unknown_field',
    ]);
    expect(readSpec([], AROUND).faults[0]).toMatchObject({ path: '', code: 'invalid_type' });
  });

  it('AUT-2 refuses expressions that do not compile, call what does not exist, or call it wrongly, naming the field', () => {
    for (const name of ['filter', 'subject_key_expr', 'turn_text_expr'])
      for (const wrong of ['a[', 'nothing(a)', 'glob(a)', 'regex(a, `"("`)', `a${'.a'.repeat(3000)}`])
        expect([name, wrong, faultsOf(trigger({ [name]: wrong }))]).toEqual([
          name,
          wrong,
          [expect.stringMatching(`^triggers\\[0\\].${name} `)],
        ]);
    const { faults } = read(trigger({ filter: 'nothing(a)' }));
    const refusal = refusalOf(faults);
    expect([refusal.status, refusal.faults]).toEqual([
      422,
      [{ path: 'triggers[0].filter', message: 'calls nothing(), which does not exist' }],
    ]);
    expect(refusalOf(read({ extra: 1, ...trigger({ filter: 'a[' }) }).faults).status).toBe(400);
  });

  it('AUT-3 continue_conversation needs to know a subject', () => {
    const continued = { destination: 'continue_conversation' };
    expect(faultsOf(trigger(continued))).toEqual([]);
    for (const source of ['hooks', 'nowhere']) {
      expect(faultsOf(trigger({ ...continued, source }))).toEqual(['triggers[0].subject_key_expr subject_needed']);
      expect(faultsOf(trigger({ ...continued, source, subject_key_expr: 'id' }))).toEqual([]);
    }
    expect(read(trigger({ ...continued, source: 'hooks' })).faults[0]?.message).toContain('continue_conversation');
  });

  it('AUT-3 continue_conversation keeps the sandbox alive, and the opposite is refused', () => {
    const continued = trigger({ destination: 'continue_conversation' });
    expect(spec(continued).keep_alive).toBe(true);
    const { faults } = read({ ...continued, keep_alive: false });
    expect(faults).toEqual([{ path: 'keep_alive', code: 'keep_alive_needed', message: expect.stringContaining('continue_conversation') }]);
    expect(refusalOf(faults).status).toBe(422);
  });

  it('AUT-1 refuses schedules that never come, come more often than once a minute, or cannot be read', () => {
    for (const schedule of ['0 0 30 2 *', '0 0 31 4,6,9,11 *'])
      expect(faultsOf(cron({ schedule }))).toEqual(['triggers[0].schedule schedule_impossible']);
    expect(faultsOf(cron({ schedule: '*/10 * * * * *' }))).toEqual(['triggers[0].schedule interval_too_short']);
    for (const schedule of ['* * * *', '61 * * * *', 'often', '@hourly', '0 9 * * ?', '0 9 * * x'])
      expect([schedule, faultsOf(cron({ schedule }))]).toEqual([schedule, ['triggers[0].schedule schedule_invalid']]);
    expect(faultsOf(cron({ timezone: 'Europe/Berlim' }))).toEqual(['triggers[0].timezone timezone_unknown']);
    for (const schedule of ['0 0 29 2 *', '0 0 29 2 1', '30 2 * * *'])
      expect(faultsOf(cron({ schedule, timezone: 'Europe/Berlin' }))).toEqual([]);
  });

  it('AUT-1 takes plain commands out of tarballs that can be had, and only where there is a sandbox', () => {
    const tarball = {
      prompt: null,
      runtime: 'box',
      tarball_path: 'https://files.example/agent.tar.gz',
      entrypoint: '.venv/bin/python main.py',
    };
    expect(faultsOf(tarball)).toEqual([]);
    expect(spec({ ...tarball, runtime: null, workspace: 'boxed' }).tarball).toBe('https://files.example/agent.tar.gz');
    expect(faultsOf({ ...tarball, tarball_path: 'upload://0b8e7a8e-45c9-4d0a-9f39-1d2f5f0c3a11' })).toEqual([]);
    for (const place of ['http://files.example/a.tar', 's3://bucket/a', 'upload://../x', 'upload://', '/etc/passwd'])
      expect(faultsOf({ ...tarball, tarball_path: place })).toEqual(['tarball_path tarball_invalid']);
    for (const entrypoint of [
      'a; b',
      'a & b',
      'a | b',
      '`a`',
      '$A',
      '(a)',
      '{a}',
      '<a',
      'a > b',
      'a!',
      'a\\b',
      'a\nb',
      '/bin/sh',
      '../a',
      'a b/../../c',
    ])
      expect([entrypoint, faultsOf({ ...tarball, entrypoint })]).toEqual([entrypoint, ['entrypoint entrypoint_invalid']]);
    for (const place of [{ runtime: 'helper' }, { runtime: null, workspace: 'main' }])
      expect(faultsOf({ ...tarball, ...place })).toEqual(['tarball_path sandbox_needed']);
  });

  it('AUT-1 does one thing in one place', () => {
    expect(faultsOf({ prompt: null })).toEqual(['prompt missing']);
    expect(faultsOf({ tarball_path: 'https://x/y', runtime: 'box' })).toEqual(['tarball_path invalid_combination']);
    expect(faultsOf({ prompt: null, tarball_path: 'https://x/y', runtime: 'box' })).toEqual(['entrypoint missing']);
    expect(faultsOf({ prompt: null, entrypoint: 'x' })).toEqual(['tarball_path missing']);
    expect(faultsOf({ workspace: 'main' })).toEqual(['workspace invalid_combination']);
    expect(faultsOf({ runtime: null })).toEqual(['runtime runtime_unknown']);
    expect(faultsOf({ runtime: null, workspace: 'elsewhere' })).toEqual(['workspace workspace_unknown']);
    const only = { ...AROUND, runtimes: new Map([['helper', { agent: 'echo', isSandboxed: false }]]) };
    expect(read({ runtime: null }, only)).toMatchObject({ faults: [], spec: { runtime: 'helper' } });
  });
});

describe('anything that is sent for an automation', () => {
  const FIELDS = ['name', 'triggers', 'prompt', 'tarball_path', 'entrypoint', 'runtime', 'workspace', 'timeout', 'keep_alive', 'on_edit'];
  const IN_TRIGGERS = ['type', 'source', 'on', 'filter', 'destination', 'authors', 'coalesce', 'debounce', 'schedule', 'timezone', 'x'];
  const value = fc.oneof(fc.jsonValue(), fc.constantFrom('event', 'cron', 'tracker', 'helper', 'continue_conversation', '* * * * *', 5));
  const triggers = fc.array(fc.dictionary(fc.constantFrom(...IN_TRIGGERS), value), { maxLength: 3 });

  it('AUT-1 is either told what is wrong with it, or reads again as what it was read as', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...FIELDS), value), fc.option(triggers), fc.boolean(), (fields, list, isSound) => {
        const raw = { ...(isSound && WRITTEN), ...fields, ...(list !== null && { triggers: list }) };
        const { spec: made, faults } = readSpec(raw, AROUND);
        if (faults.length > 0) return expect([400, 422]).toContain(refusalOf(faults).status);
        expect(readSpec(JSON.parse(JSON.stringify(writtenSpec(made))), AROUND)).toEqual({ spec: made, faults: [] });
      }),
      { numRuns: 500 },
    );
  });
});

describe('a changed automation', () => {
  const change = (patch: Record<string, unknown>, before = spec()) => readSpec(amended(before, patch), AROUND);

  it('AUT-1 keeps what the change does not name, and gives what is null its default', () => {
    expect(change({ timeout: 30 }).spec).toEqual({ ...spec(), timeout_ms: 30_000 });
    expect(change({ timeout: null }, spec({ timeout: 30 })).spec).toEqual(spec());
    expect(change({ name: null }).faults).toMatchObject([{ path: 'name', code: 'missing' }]);
    expect(change({ triggers: null }).faults).toMatchObject([{ path: 'triggers', code: 'missing' }]);
  });

  it('AUT-1 can say one thing in place of another', () => {
    expect(change({ workspace: 'main' })).toMatchObject({ faults: [], spec: { runtime: null, workspace: 'main' } });
    const boxed = { tarball_path: 'https://x/y', entrypoint: 'run', runtime: 'box' };
    const { spec: made, faults } = change(boxed);
    expect([made.prompt, made.tarball, faults]).toEqual([null, 'https://x/y', []]);
    expect(change({ prompt: 'again' }, made)).toMatchObject({ faults: [], spec: { prompt: 'again', tarball: null, entrypoint: null } });
    expect(change({ tarball: 'https://x/z' }, made)).toMatchObject({ faults: [], spec: { tarball: 'https://x/z', entrypoint: 'run' } });
  });

  it('AUT-3 that continues conversations is judged with what it keeps', () => {
    const continued = { triggers: [{ ...TRIGGER, destination: 'continue_conversation' }] };
    expect(change(continued)).toMatchObject({ faults: [], spec: { keep_alive: true } });
    expect(change({ keep_alive: false }, spec(continued)).faults).toMatchObject([{ code: 'keep_alive_needed' }]);
    expect(change({ triggers: [TRIGGER], keep_alive: false }, spec(continued))).toMatchObject({ faults: [], spec: { keep_alive: false } });
  });

  it('AUT-1 begins a new generation where its agents are others, or as on_edit says', () => {
    const edition = (changed: Record<string, unknown>, around = AROUND) => {
      const made = readSpec({ ...WRITTEN, ...changed }, around).spec;
      return { spec: made, agent: agentOf(made, around) };
    };
    const raises = (before: Record<string, unknown>, after: Record<string, unknown>) => raisesGeneration(edition(before), edition(after));
    for (const same of [{ name: 'other' }, { prompt: 'other' }, { timeout: 5 }, trigger({ filter: 'a' }), trigger({ turn_text_expr: 'b' })])
      expect([same, raises({}, same)]).toEqual([same, false]);
    const boxed = { prompt: null, runtime: 'box', tarball_path: 'https://x/y', entrypoint: 'run' };
    for (const [before, after] of [
      [{}, { runtime: 'box' }],
      [boxed, { ...boxed, tarball_path: 'https://x/z' }],
      [boxed, { ...boxed, entrypoint: 'go' }],
      [
        { runtime: null, workspace: 'main' },
        { runtime: null, workspace: 'boxed' },
      ],
    ] as const) {
      expect([after, raises(before, after)]).toEqual([after, true]);
      expect([after, raises(before, { ...after, on_edit: 'keep' })]).toEqual([after, false]);
    }
    // A workspace on the same runtime has the same agents.
    expect(raises({}, { runtime: null, workspace: 'main' })).toBe(false);
    expect(raises({ on_edit: 'rekey' }, { on_edit: 'rekey', timeout: 5 })).toBe(true);
    expect(raises({ on_edit: 'rekey' }, { on_edit: 'rekey' })).toBe(false);
  });

  it('AUT-1 has other agents, too, where its runtime has become another kind, and none where the runtime is gone', () => {
    const runtimes = (agent: string) => ({ ...AROUND, runtimes: new Map([['helper', { agent, isSandboxed: false }]]) });
    const before = { spec: spec(), agent: agentOf(spec(), AROUND) };
    expect(raisesGeneration(before, { spec: spec(), agent: agentOf(spec(), runtimes('acp')) })).toBe(true);
    expect(raisesGeneration(before, { spec: spec(), agent: agentOf(spec(), runtimes('echo')) })).toBe(false);
    expect(raisesGeneration(before, { spec: spec(), agent: agentOf(spec(), { ...AROUND, runtimes: new Map() }) })).toBe(false);
  });
});
