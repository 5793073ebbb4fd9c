import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { automationConversationId } from '../../src/core/conversations/conversation-id.js';
import type { Parsed } from '../../src/plugin/index.js';
import { ended, event, lifecycle, prompt } from '../core/builders.js';
import { eachDatabase } from '../databases.js';
import { blocksOf } from '../readme-blocks.js';
import { AdminHost } from './admin-host.js';

const NOBODY = '0b8e7a8e-45c9-4d0a-9f39-1d2f5f0c3a11';

eachDatabase('automations before they are switched on', (make) => {
  let host: AdminHost;
  let count = 0;
  beforeAll(async () => {
    host = await AdminHost.start(make);
  });
  afterAll(() => host.close());

  const trigger = (change: object = {}) => ({ type: 'event', source: 'tracker', on: ['comment.*'], ...change });
  const written = (...triggers: object[]) => ({ name: `tried ${++count}`, triggers, prompt: 'Look at it.', runtime: 'helper' });
  const made = async (...triggers: object[]): Promise<string> => {
    const { status, body } = await host.post('/v1/automations', written(...triggers));
    expect([status, body.errors]).toEqual([201, undefined]);
    return body.id;
  };
  const payload = (parsed: Parsed, also: object = {}) => ({ key: 'comment.created', parsed, ...also });
  const validate = async (body: unknown) => {
    const answer = await host.post('/v1/validate', body);
    expect(answer.status).toBe(200);
    return answer.body;
  };
  const rows = () => host.core.rows<{ count: number }>('select count(*) as count from receipts');

  it('AUT-2 a dry run says what would become of a sample, and stores nothing', async () => {
    const id = await made(trigger({ on: ['issue.*'] }), trigger({ filter: "label == 'urgent'", turn_text_expr: 'title' }));
    const before = await rows();
    const run = async (sample: object) => (await host.post(`/v1/automations/${id}/dry-run`, { sample })).body;
    const taken = await run({ payload: payload(prompt('s1', 'hello'), { label: 'urgent', title: 'A title' }) });
    expect(taken).toEqual({
      matched: 1,
      events: [
        {
          ...{ receipt: null, source: 'tracker', event: 'comment.created', received_at: null, matched: true, trigger: 1 },
          ...{ reason: null, detail: null, subject: { namespace: 'tracker:acme', key: 's1' }, text: 'A title' },
          conversation: automationConversationId('default', id, 'tracker', 's1'),
        },
      ],
    });
    const left = await run({ payload: payload(prompt('s1', 'hello'), { label: 'later' }) });
    expect(left).toMatchObject({
      matched: 0,
      events: [{ matched: false, trigger: 1, reason: 'filter', detail: expect.stringContaining('label') }],
    });
    const bot = prompt('s1', 'hello', { author: { id: '1', name: 'bot', isBot: true } });
    expect((await run({ payload: payload(bot, { label: 'urgent' }) })).events).toMatchObject([{ matched: false, reason: 'author_bot' }]);
    expect((await run({ event: 'push', payload: payload(prompt('s1', 'x')) })).events).toMatchObject([{ reason: 'event_key', trigger: 0 }]);
    expect(await rows()).toEqual(before);
  });

  it('AUT-2 a dry run tells why an event has no subject', async () => {
    for (const [expression, reason] of [
      ['flag', 'subject_not_scalar'],
      ['thing', 'subject_not_scalar'],
      ['nothing', 'no_subject'],
      ['blank', 'subject_blank'],
      ['long', 'subject_too_long'],
    ] as const) {
      const id = await made(trigger({ subject_key_expr: expression }));
      const sample = { payload: payload(prompt('s1', 'x'), { flag: true, thing: { id: 1 }, blank: ' ', long: 'x'.repeat(501) }) };
      const { body } = await host.post(`/v1/automations/${id}/dry-run`, { sample });
      expect([expression, body.events[0]]).toMatchObject([expression, { matched: true, reason, subject: null, conversation: null }]);
    }
  });

  it('AUT-2 a dry run looks at the last events that came, also those whose payload is gone', async () => {
    const texts = ['first', 'second', 'third'];
    const receipts: string[] = [];
    for (const text of texts) receipts.unshift((await host.core.admit(event(prompt('s2', text)))).receipt);
    const closed = await host.core.admit(event(lifecycle('s2', ended(1))));
    const id = await made(trigger({ on: '*' }));
    const run = async (body: object = {}, of = id) => (await host.post(`/v1/automations/${of}/dry-run`, body)).body;
    const { events, matched } = await run({ last: 3 });
    expect([matched, events.map(({ receipt, text }: { receipt: string; text: string }) => [receipt, text])]).toEqual([
      3,
      [
        [closed.receipt, expect.stringContaining('New event issue.closed')],
        [receipts[0], expect.stringMatching(/third$/)],
        [receipts[1], expect.stringMatching(/second$/)],
      ],
    ]);
    await host.change('update receipts set payload = null where id = ?', Number(receipts[0]));
    expect((await run({ last: 2 })).events).toMatchObject([{ matched: true }, { matched: true, text: expect.stringMatching(/third$/) }]);
    const reading = await made(trigger({ on: '*', filter: 'parsed' }));
    expect((await run({ last: 2 }, reading)).events).toMatchObject([{ matched: true }, { matched: false, reason: 'payload_unavailable' }]);
    expect((await run({}, await made({ type: 'cron', schedule: '0 9 * * *' }))).events).toEqual([]);
    for (const last of [0, 101, 1.5]) expect((await host.post(`/v1/automations/${id}/dry-run`, { last })).status).toBe(400);
    expect((await host.post(`/v1/automations/${NOBODY}/dry-run`)).status).toBe(404);
    const acme = await host.token('admin', 'acme');
    expect((await host.post(`/v1/automations/${id}/dry-run`, {}, { token: acme.token })).status).toBe(404);
  });

  it('AUT-2 validate answers 200 with every fault, its field and its code, and stores nothing', async () => {
    expect(await validate(written(trigger()))).toEqual({ valid: true, errors: [], sample_matched: null, sample: null });
    const wrong = { ...written(trigger({ filter: 'nothing(a)', source: 'nowhere' }), { type: 'cron', schedule: '* * * * * *' }), extra: 1 };
    const told = await validate({ draft: wrong });
    expect([told.valid, told.errors.map(({ field, code }: { field: string; code: string }) => `${field} ${code}`)]).toEqual([
      false,
      [
        ...['triggers[0].filter expression_invalid', 'triggers[1].schedule interval_too_short', 'extra unknown_field'],
        'triggers[0].source event_source_not_configured',
      ],
    ]);
    for (const body of [[], 'x', 1, {}, { draft: null }, { draft: [] }])
      expect(await validate(JSON.stringify(body))).toMatchObject({ valid: false });
    expect((await host.get('/v1/automations?name=nothing')).body.items).toEqual([]);
  });

  it('AUT-2 validate judges a change of a stored automation, and names that are taken', async () => {
    const id = await made(trigger());
    const { name } = (await host.get(`/v1/automations/${id}`)).body;
    expect(await validate({ draft: { timeout: 5 }, automation_id: id })).toMatchObject({ valid: true });
    expect(await validate({ draft: { name, timeout: 5 }, automation_id: id })).toMatchObject({ valid: true });
    expect(await validate({ draft: { ...written(), name } })).toMatchObject({
      valid: false,
      errors: [{ field: 'name', code: 'name_taken' }],
    });
    for (const automation_id of [NOBODY, 'x'])
      expect((await validate({ draft: written(), automation_id })).errors).toMatchObject([{ field: 'automation_id', code: 'not_found' }]);
  });

  it('AUT-2 validate tries a sample', async () => {
    const draft = written(trigger({ filter: 'urgent' }));
    const sample = (also: object) => ({ payload: payload(prompt('s3', 'hello'), also) });
    expect(await validate({ draft, sample: sample({ urgent: true }) })).toMatchObject({
      valid: true,
      sample_matched: true,
      sample: { text: expect.stringMatching(/hello$/) },
    });
    expect(await validate({ draft, sample: sample({}) })).toMatchObject({
      valid: true,
      sample_matched: false,
      sample: { reason: 'filter' },
    });
    expect(await validate({ draft: written(), sample: sample({}) })).toMatchObject({
      ...{ valid: false, sample_matched: null },
      errors: [{ field: 'sample.source', code: 'event_source_not_configured' }],
    });
    expect(await validate({ draft, sample: { payload: { key: '', parsed: prompt('s', 'x') } } })).toMatchObject({
      ...{ valid: false, sample_matched: null },
      errors: [{ field: 'sample.event', code: 'unparseable_sample_event' }],
    });
  });

  it('AUT-1 capabilities say what automations may be made of', async () => {
    const { ready, automations } = (await host.get('/v1/capabilities')).body;
    expect([ready, automations]).toEqual([
      true,
      {
        ...{ trigger_types: ['event', 'cron'], event_sources: ['tracker', 'hooks'], runtimes: ['helper', 'box'] },
        ...{ sandboxed_runtimes: ['box'], workspaces: ['main', 'boxed'], expression_language: 'jmespath' },
        ...{ min_interval_seconds: 60, max_timeout_seconds: 1800, expression_functions: expect.any(Array) },
      },
    ]);
    for (const name of ['glob', 'icontains', 'regex', 'lower', 'upper', 'starts_with', 'ends_with', 'contains'])
      expect(automations.expression_functions).toContain(name);
  });

  it('AUT-1 the example of the documents is one', async () => {
    const [example] = blocksOf('docs/automations.md').filter(({ text }) => text.startsWith('{'));
    expect(await validate(example?.text)).toMatchObject({ valid: true });
    expect((await host.post('/v1/automations', example?.text)).status).toBe(201);
  });
});
