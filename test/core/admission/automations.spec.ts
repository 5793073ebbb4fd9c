import { afterEach, expect, it } from '@jest/globals';
import { automationConversationId } from '../../../src/core/conversations/conversation-id.js';
import { closing, comment, event, prompt, route } from '../builders.js';
import { type Core, eachCore } from '../core.js';
import { Automated, trigger } from './automated.js';

eachCore('automations in accept', (open) => {
  const opened: Automated[] = [];
  afterEach(() => {
    for (const each of opened.splice(0)) each.stop();
  });

  async function automated(core: Core = open(), ...routes: Parameters<typeof Automated.over>[1][]): Promise<Automated> {
    const made = await Automated.over(core, ...routes);
    opened.push(made);
    return made;
  }

  it('AUT-5 an event makes a receipt, a conversation under the derived id, a delivery and a run in one transaction', async () => {
    const a = await automated();
    const id = await a.make();
    const answer = await a.core.admit(comment('T-1'));
    const conversation = automationConversationId('default', id, 'tracker', 'T-1');
    const [run] = await a.runs();
    expect(answer).toMatchObject({ disposition: 'routed', reason: null, matched: 1, runs_created: [run?.id], conversations_continued: [] });
    expect(answer.deliveries).toEqual([expect.objectContaining({ route: `automation:${id}`, conversation, sequence: 1 })]);
    expect(run).toMatchObject({
      ...{ automation: id, version: 1, generation: 1, conversation, sequence: 1, subject: 'tracker/T-1', no_subject: null },
      ...{ cause: 'event', receipt: Number(answer.receipt), state: 'queued' },
    });
    expect(await a.core.queue(conversation)).toMatchObject({ parked: 'starting', ready_at: null, open: 1 });
  });

  it('AUT-5 what comes for the subject while its run is queued waits behind it, whatever the destination', async () => {
    const a = await automated();
    await a.make();
    const [first] = await a.core.admitAll(comment('T-1'));
    const answers = await Promise.all(Array.from({ length: 25 }, (_, i) => a.core.admit(comment('T-1', `message ${i}`))));
    const conversation = first?.deliveries[0]?.conversation ?? '';
    expect(answers.every((answer) => answer.runs_created.length === 0 && answer.conversations_continued[0] === conversation)).toBe(true);
    expect(await a.runs()).toHaveLength(1);
    expect((await a.core.deliveries(conversation)).map(({ sequence }) => sequence)).toEqual(Array.from({ length: 26 }, (_, i) => i + 1));
    expect(await a.core.claim()).toEqual([]);
  });

  it('AUT-5 events of one group for one subject begin one run', async () => {
    const a = await automated();
    await a.make();
    const bracket = { before: async () => undefined, after: async () => undefined };
    const answers = await a.core.admissions.admitTogether([comment('T-1'), comment('T-2'), comment('T-1')], bracket);
    expect(answers.map(({ runs_created, conversations_continued }) => [runs_created.length, conversations_continued.length])).toEqual([
      [1, 0],
      [1, 0],
      [0, 1],
    ]);
  });

  it('AUT-5 after the run has ended dispatch_run begins another one in the same conversation, continue_conversation goes on where it stands open', async () => {
    const a = await automated();
    const dispatching = await a.make();
    const continuing = await a.make({ triggers: [trigger({ destination: 'continue_conversation' })], keep_alive: true });
    const boxed = await a.make({ triggers: [trigger({ destination: 'continue_conversation' })], keep_alive: true, runtime: 'box' });
    await a.core.admit(comment('T-1'));
    for (const { id } of await a.runs()) {
      await a.open(id);
      await a.end(id);
    }
    const answer = await a.core.admit(comment('T-1', 'again'));
    const live = (await a.runs()).filter(({ state }) => state === 'queued');
    expect(live.map(({ automation }) => automation).sort()).toEqual([dispatching, boxed].sort());
    expect(answer.conversations_continued).toEqual([automationConversationId('default', continuing, 'tracker', 'T-1')]);
    expect((await a.core.queue(live[0]?.conversation ?? '')).parked).toBe('starting');

    const of = live.find(({ automation }) => automation === boxed)?.conversation ?? '';
    for (const { id } of live) await a.end(id);
    await a.core.change("update queues set parked = null, ready_at = 1 where parked = 'starting'");
    await a.core.change(
      `insert into sandboxes (id, org, kind, runtime, run, conversation, state, created_at, updated_at)
       values ('one', 'default', 'local', 'box', 'r', ?, 'paused', 1, 1)`,
      of,
    );
    expect((await a.core.admit(comment('T-1', 'once more'))).conversations_continued).toContain(of);
  });

  it('AUT-1 while a run of an earlier generation lives its conversation goes on; then events open the new one', async () => {
    const a = await automated();
    const id = await a.make();
    const first = await a.core.admit(comment('T-1'));
    const old = first.deliveries[0]?.conversation ?? '';
    await a.change(id, { runtime: 'box' }, 2);
    const second = await a.core.admit(comment('T-1', 'before it is heard of'));
    await a.heard();
    const third = await a.core.admit(comment('T-1', 'after'));
    expect([second, third].map(({ conversations_continued }) => conversations_continued)).toEqual([[old], [old]]);
    await a.end(first.runs_created[0] ?? '');
    const fourth = await a.core.admit(comment('T-1', 'of the next'));
    const next = automationConversationId('default', `${id}@2`, 'tracker', 'T-1');
    expect(fourth.deliveries).toEqual([expect.objectContaining({ conversation: next })]);
    expect((await a.runs()).find(({ conversation }) => conversation === next)).toMatchObject({ generation: 2, version: 2 });
    const [row] = await a.core.rows<{ workspace: string }>('select workspace from conversations where id = ?', next);
    expect(row?.workspace).toBe('runtime:box');
  });

  it('AUT-1 a generation that this process has not heard of is that of the store', async () => {
    const a = await automated();
    const id = await a.make({ runtime: 'helper' });
    await a.heard();
    await a.change(id, { runtime: 'box' }, 2);
    const answer = await a.core.admit(comment('T-1'));
    expect(answer.deliveries[0]?.conversation).toBe(automationConversationId('default', `${id}@2`, 'tracker', 'T-1'));
  });

  it('AUT-1 an automation that was switched off elsewhere refuses with a reason', async () => {
    const a = await automated();
    const id = await a.make();
    await a.heard();
    await a.switchOffElsewhere(id);
    expect(await a.core.admit(comment('T-1'))).toMatchObject({ disposition: 'ignored', reason: 'automation_disabled', runs_created: [] });
    expect(await a.runs()).toEqual([]);
    await a.heard();
    expect(await a.core.admit(comment('T-1'))).toMatchObject({ disposition: 'unmatched', reason: 'no_route', matched: 0 });
  });

  it('AUT-1 with skip nothing begins while a run of the automation lives, and a row tells of it', async () => {
    const a = await automated();
    const id = await a.make({ concurrency: 'skip' });
    const bracket = { before: async () => undefined, after: async () => undefined };
    const [first, second, third] = await a.core.admissions.admitTogether([comment('T-1'), comment('T-2'), comment('T-1')], bracket);
    expect(first?.runs_created).toHaveLength(1);
    expect(second).toMatchObject({ disposition: 'ignored', reason: 'run_in_progress', runs_created: [], deliveries: [] });
    expect(third?.conversations_continued).toHaveLength(1);
    expect(await a.core.admit(comment('T-3'))).toMatchObject({ disposition: 'ignored', reason: 'run_in_progress' });
    const runs = await a.runs();
    const ofState = runs.map(({ state, error, sequence }) => [state, error, sequence]).sort();
    expect(ofState).toEqual([
      ['queued', null, 1],
      ['skipped', 'run_in_progress', null],
      ['skipped', 'run_in_progress', null],
    ]);
    expect(runs.every(({ automation, ended_at, state }) => automation === id && (state === 'skipped') === (ended_at !== null))).toBe(true);
    await a.end(runs.find(({ state }) => state === 'queued')?.id ?? '');
    expect((await a.core.admit(comment('T-2', 'later'))).runs_created).toHaveLength(1);
  });

  it.each([
    ['true', 'subject_not_scalar'],
    ['false', 'subject_not_scalar'],
    ['{"a": 1}', 'subject_not_scalar'],
    ['[1]', 'subject_not_scalar'],
    ['null', 'no_subject'],
    ['"  "', 'subject_blank'],
    ['of 501 characters', 'subject_too_long'],
    ['9007199254740993', 'subject_unsafe_number'],
    ['"a\\u0000b"', 'subject_malformed'],
  ])('AUT-2 the key %s gives a run without a subject, with the reason on receipt and run', async (value, reason) => {
    const a = await automated();
    await a.make({ triggers: [trigger({ subject_key_expr: 'key' })] });
    const payload = JSON.parse(`{ "key": ${value.startsWith('of') ? JSON.stringify('x'.repeat(501)) : value} }`) as unknown;
    const answers = await a.core.admitAll(event(prompt('T-1', 'one'), { payload }), event(prompt('T-1', 'two'), { payload }));
    expect(answers.map(({ disposition, reason: why, runs_created }) => [disposition, why, runs_created.length])).toEqual([
      ['routed', reason, 1],
      ['routed', reason, 1],
    ]);
    const runs = await a.runs();
    expect(runs.map(({ subject, no_subject }) => [subject, no_subject])).toEqual([
      [null, reason],
      [null, reason],
    ]);
    expect(new Set(runs.map(({ conversation }) => conversation)).size).toBe(2);
  });

  it.each([
    ['"__proto__"', '__proto__'],
    ['42', '42'],
    ['1.0', '1'],
  ])('AUT-2 the key %s is a subject', async (value, key) => {
    const a = await automated();
    const id = await a.make({ triggers: [trigger({ subject_key_expr: 'key' })] });
    const answer = await a.core.admit(event(prompt('T-1', 'one'), { payload: JSON.parse(`{ "key": ${value} }`) as unknown }));
    expect(answer.deliveries[0]?.conversation).toBe(automationConversationId('default', id, 'tracker', key));
  });

  it('AUT-2 a key of 500 characters is a subject, however many bytes it has', async () => {
    const a = await automated();
    await a.make({ triggers: [trigger({ subject_key_expr: 'key' })] });
    const key = 'ż'.repeat(500);
    await a.core.admit(event(prompt('T-1', 'one'), { payload: { key } }));
    expect(await a.runs()).toMatchObject([{ subject: `tracker/${key}`, no_subject: null }]);
  });

  it('AUT-2 an expression sees only what the payload itself has', async () => {
    const a = await automated();
    await a.make({ triggers: [trigger({ subject_key_expr: '"__proto__" || constructor || toString' })] });
    await a.core.admit(event(prompt('T-1', 'one'), { payload: {} }));
    expect(await a.runs()).toMatchObject([{ subject: null, no_subject: 'no_subject' }]);
  });

  it('AUT-2 events of every kind are messages: recorded ones, ends, edits; routes go on as ever', async () => {
    const a = await automated(open(), route());
    const id = await a.make();
    const recorded = await a.core.admit(event({ kind: 'recorded', subject: { namespace: 'tracker:acme', key: 'T-9' }, reason: 'push' }));
    expect(recorded).toMatchObject({ disposition: 'routed', matched: 1 });
    const closed = await a.core.admit(closing('T-8', 1));
    expect(closed.deliveries.map(({ route: by }) => by)).toContain(`automation:${id}`);
    expect((await a.runs()).map(({ subject }) => subject)).toEqual(['tracker/T-9', 'tracker/T-8']);
    const both = await a.core.admit(comment('T-7'));
    expect(both).toMatchObject({ matched: 2, deliveries: [{ route: 'triage' }, { route: `automation:${id}` }] });
  });

  it('AUT-2 an automation takes an event once, by its first trigger that matches; two automations both take it', async () => {
    const a = await automated();
    const [wide, narrow] = [trigger({ turn_text_expr: "'wide'" }), trigger({ on: ['comment.*'], turn_text_expr: "'narrow'" })];
    await a.make({ triggers: [trigger({ on: ['push'] }), narrow, wide] });
    await a.make({ triggers: [wide] });
    const answer = await a.core.admit(comment('T-1'));
    expect(answer).toMatchObject({ matched: 2 });
    const rows = await a.core.rows<{ text: string }>('select text from deliveries order by text');
    expect(rows.map(({ text }) => text)).toEqual(['narrow', 'wide']);
  });

  it('AUT-5 the same message once more, and the same event once more, begin nothing', async () => {
    const a = await automated();
    await a.make();
    const first = await a.core.admit(comment('T-1', 'hello', { messageKey: 'm-1' }));
    await a.end(first.runs_created[0] ?? '');
    const again = await a.core.admit(comment('T-1', 'hello', { messageKey: 'm-1' }));
    expect(again).toMatchObject({ disposition: 'ignored', reason: 'same_message', runs_created: [] });
    const repeated = event(prompt('T-2', 'x'));
    const once = await a.core.admit(repeated);
    expect(await a.core.admit(repeated)).toEqual({ ...once, duplicate: true });
    expect(await a.runs()).toHaveLength(2);
  });

  it('SUP-2 authors that an automation does not listen to begin nothing', async () => {
    const a = await automated();
    await a.make();
    const bot = await a.core.admit(comment('T-1', 'x', { author: { id: '7', name: 'bot', isBot: true } }));
    expect(bot).toMatchObject({ disposition: 'ignored', reason: 'author_bot' });
    expect(await a.runs()).toEqual([]);
  });

  it('a queue that waits for a person gets the event, and no run', async () => {
    const a = await automated();
    await a.make();
    const first = await a.core.admit(comment('T-1'));
    const conversation = first.deliveries[0]?.conversation ?? '';
    await a.end(first.runs_created[0] ?? '');
    await a.core.change("update queues set parked = 'stalled', ready_at = null where conversation = ?", conversation);
    expect(await a.core.admit(comment('T-1', 'more'))).toMatchObject({ runs_created: [], conversations_continued: [conversation] });
    expect((await a.core.queue(conversation)).parked).toBe('stalled');
  });

  it('a message that wakes nobody wakes the agent where it begins a run, and waits where one is', async () => {
    const a = await automated();
    await a.make({ triggers: [trigger({ wake_agent: false })] });
    const first = await a.core.admit(comment('T-1'));
    await a.core.admit(comment('T-1', 'more'));
    expect((await a.core.deliveries(first.deliveries[0]?.conversation ?? '')).map(({ waking }) => waking)).toEqual([1, 0]);
  });

  it('RPL-1 a stored event is decided again by automations, also by one of them alone', async () => {
    const a = await automated(open(), route());
    const before = await a.core.admit(comment('T-1'));
    const id = await a.make();
    const replay = { org: 'default', receipt: Number(before.receipt), by: 'ada', force: false };
    const answer = await a.core.admissions.replay({ ...replay, routes: [`automation:${id}`] });
    expect(answer).toMatchObject({ disposition: 'routed', matched: 1, runs_created: [expect.any(String)] });
    expect(await a.core.admissions.replay({ ...replay, routes: null })).toMatchObject({ disposition: 'ignored', runs_created: [] });
    const forced = await a.core.admissions.replay({ ...replay, routes: [`automation:${id}`], force: true });
    expect(forced).toMatchObject({ disposition: 'routed', conversations_continued: [answer.deliveries[0]?.conversation] });
  });

  it('RPL-2 a pruned payload is enough for an automation without expressions, and refused for others', async () => {
    const a = await automated();
    const before = await a.core.admit(comment('T-1', 'what was said'));
    await a.core.change('update receipts set payload = null');
    await a.make();
    const replay = { org: 'default', receipt: Number(before.receipt), by: 'ada', force: false, routes: null };
    const answer = await a.core.admissions.replay(replay);
    expect(answer.runs_created).toHaveLength(1);
    const [delivery] = await a.core.rows<{ text: string }>('select text from deliveries');
    expect(delivery?.text).toContain('what was said');
    await a.make({ triggers: [trigger({ filter: 'number' })] });
    await expect(a.core.admissions.replay({ ...replay, force: true })).rejects.toMatchObject({ code: 'payload_unavailable' });
  });
});
