import { createHash } from 'node:crypto';
import { beforeEach, expect, it } from '@jest/globals';
import { identify } from '../../../src/core/conversations/conversation-id.js';
import type { Subject } from '../../../src/plugin/index.js';
import { comment, event, route, subject } from '../builders.js';
import { type Core, delivered, eachCore } from '../core.js';

const LONE = 'a\uD800b';

eachCore('texts and bytes of all kinds', (open) => {
  let core: Core;

  beforeEach(() => {
    core = open(route());
  });

  it('ACC-11 keeps the exact bytes, whatever they are', async () => {
    const body = Buffer.from([0, 255, 0xd8, 0x00, 10, 13, 0xe2, 0x80, 0xa8]);
    await core.admit({ ...comment('T-1'), body });
    expect(await core.rows('select payload, payload_size, payload_cut from receipts')).toEqual([
      { payload: body, payload_size: body.length, payload_cut: 0 },
    ]);
  });

  it('ING-1 cuts a payload at 1 MiB, with a flag and the hash of the whole', async () => {
    const limit = 1024 * 1024;
    const body = Buffer.alloc(limit + 1, 'x');
    await core.admitAll({ ...comment('T-1'), body }, { ...comment('T-1'), body: body.subarray(0, limit) });
    const rows = await core.rows<{ payload: Buffer; payload_size: number; payload_cut: number; content_hash: Buffer }>(
      'select * from receipts order by id',
    );
    expect(rows.map(({ payload, payload_size, payload_cut }) => [payload.length, payload_size, payload_cut])).toEqual([
      [limit, limit + 1, 1],
      [limit, limit, 0],
    ]);
    expect(rows[0]?.content_hash).toEqual(createHash('sha256').update(body).digest());
  });

  it.each(['NUL \0 within', `lone ${LONE}`, 'emoji 👩‍👩‍👧 and U+2028 \u2028', "'; drop table receipts; --", '{"a":"\\u0000"}', ''])(
    'ACC-11 takes the text %j and gives the agent what was said',
    async (text) => {
      const answer = await core.admit(comment('T-1', text, { title: text, url: text }));
      expect(answer).toMatchObject({ disposition: 'routed' });
      const [stored] = await core.rows<{ parsed: string }>('select parsed from receipts');
      expect(JSON.parse(stored?.parsed ?? '')).toMatchObject({ text });
      const { title } = await core.conversation(delivered(answer).conversation);
      expect(title ?? '').toBe(text.toWellFormed().replaceAll('\0', '\uFFFD'));
    },
  );

  it('IDN-1 takes a key of 500 code points as it is, and gives one of 501 a conversation of its own', async () => {
    const longest = '👩'.repeat(500);
    const answers = await core.admitAll(comment(longest), comment(longest), comment(`${longest}x`), comment(`${longest}x`));
    const [first, second, third, fourth] = answers.map(delivered);
    expect(first?.conversation).toBe(identify('default', subject(longest), { scope: 'subject' }).id);
    expect(second).toMatchObject({ conversation: first?.conversation, sequence: 2 });
    expect(third?.conversation).not.toBe(first?.conversation);
    expect(fourth?.conversation).not.toBe(third?.conversation);
    const rows = await core.rows<{ scope: string }>('select scope from conversations order by scope');
    expect(rows.map(({ scope }) => scope)).toEqual(['run', 'run', 'subject']);
  });

  it.each<[string, Subject]>([
    ['blank namespace', { namespace: ' ', key: 'T-1' }],
    ['blank key', { namespace: 'n', key: '\t' }],
    ['lone surrogate', { namespace: 'n', key: LONE }],
    ['NUL', { namespace: 'n', key: 'a\0b' }],
    ['long namespace', { namespace: 'n'.repeat(501), key: 'a' }],
  ])('IDN-1 a subject with a %s is no identity: the event is kept and has a conversation of its own', async (_, bad) => {
    const observation = { state: 'open', revision: null, transition: false } as const;
    const answer = await core.admit(event({ kind: 'prompt', subject: bad, text: 'hello', observation }));
    expect(answer).toMatchObject({ disposition: 'routed' });
    expect(await core.rows('select scope from conversations')).toEqual([{ scope: 'run' }]);
    expect(await core.count('subjects')).toBe(0);
  });

  it('IDN-2 an expression of the route gives the key, by which every route finds the conversation', async () => {
    const by = open(route({ subject: 'ticket', text: 'join(`" "`, [`"ticket"`, ticket])' }));
    const [first, second] = await by.admitAll(
      event({ kind: 'prompt', subject: null, text: 'plain' }, { payload: { ticket: 'PAY-7' } }),
      event({ kind: 'prompt', subject: subject('x'), text: 'plain' }, { payload: { ticket: 'PAY-7' } }),
    );
    expect(first && delivered(first).conversation).toBe(
      identify('default', { namespace: 'custom:tracker', key: 'PAY-7' }, { scope: 'subject' }).id,
    );
    expect(second && delivered(second).sequence).toBe(2);
    expect(await by.rows('select text from deliveries order by sequence')).toEqual([{ text: 'ticket PAY-7' }, { text: 'ticket PAY-7' }]);
  });

  it('IDN-4 scopes do not meet: a route of scope automation has its own conversation about the subject', async () => {
    const both = open(route(), route({ name: 'own', scope: 'automation' }));
    const answer = await both.admit(comment('T-1'));
    expect(answer.deliveries.map(({ route: name, sequence }) => [name, sequence])).toEqual([
      ['triage', 1],
      ['own', 1],
    ]);
    expect(new Set(answer.deliveries.map(({ conversation }) => conversation)).size).toBe(2);
  });

  it('IDN-4 a second route joins the conversation where the first placed it', async () => {
    const both = open(route({ on: ['first'] }), route({ name: 'later', workspace: 'elsewhere', on: ['second'] }));
    await both.admitAll(event(comment('T-1').parsed, { eventKey: 'first' }), event(comment('T-1').parsed, { eventKey: 'second' }));
    expect(await both.rows('select workspace, route from conversations')).toEqual([{ workspace: 'main', route: 'triage' }]);
    expect(await both.rows('select workspace, open from queues')).toEqual([{ workspace: 'main', open: 2 }]);
  });
});
