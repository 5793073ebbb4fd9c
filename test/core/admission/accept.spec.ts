import { beforeEach, expect, it } from '@jest/globals';
import { comment, event, prompt, route, subject } from '../builders.js';
import { type Core, delivered, eachCore } from '../core.js';

const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

eachCore('accepting', (open) => {
  let core: Core;

  beforeEach(() => {
    core = open(route(), route({ name: 'second', on: ['comment.*'] }), route({ name: 'filtered', filter: 'number == `0`' }));
  });

  it('ACC-1 stores receipt, decision, conversation and delivery, and answers with them', async () => {
    const answer = await core.admit(comment('T-1', 'hello'));
    const { conversation } = delivered(answer);
    expect(answer).toMatchObject({ received: true, duplicate: false, disposition: 'routed', reason: null, matched: 2 });
    expect(answer.deliveries).toEqual([{ route: 'triage', conversation, delivery: `${conversation}.1`, sequence: 1, state: 'pending' }]);
    expect(await core.conversation(conversation)).toMatchObject({ state: 'open', session: null });
    expect(await core.deliveries(conversation)).toMatchObject([{ sequence: 1, route: 'triage', state: 'pending' }]);
    const [receipt] = await core.rows<{ id: number; delivery_id: string }>('select id, delivery_id from receipts');
    expect(String(receipt?.id)).toBe(answer.receipt);
  });

  it('ACC-1 B16 of 100 parallel admissions of one delivery id one is new and 99 are its duplicates', async () => {
    const same = comment('T-1');
    const answers = await Promise.all(times(100, () => core.admit(same)));
    expect(answers.filter(({ duplicate }) => !duplicate)).toHaveLength(1);
    const fresh = answers.find(({ duplicate }) => !duplicate);
    for (const answer of answers) expect(answer).toEqual({ ...fresh, duplicate: answer.duplicate });
    expect([await core.count('receipts'), await core.count('deliveries')]).toEqual([1, 1]);
    expect(await core.rows('select duplicates, conflicts from receipt_repeats')).toEqual([{ duplicates: 99, conflicts: 0 }]);
  });

  it('ACC-1 B19 the same over two processes: one is new, 99 are duplicates', async () => {
    const { core: second, close } = await core.another();
    const same = comment('T-1');
    const answers = await Promise.all(times(100, (i) => (i % 2 === 0 ? core : second).admit(same)));
    expect(answers.filter(({ duplicate }) => !duplicate)).toHaveLength(1);
    expect(new Set(answers.map(({ receipt }) => receipt)).size).toBe(1);
    await close();
  });

  it('IDN-3 B5 fifty parallel first events of one new subject make one conversation, sequences 1 to 50', async () => {
    const { core: second, close } = await core.another();
    const answers = await Promise.all(times(50, (i) => (i % 2 === 0 ? core : second).admit(comment('T-9', `comment ${i}`))));
    const places = answers.map(delivered);
    expect(new Set(places.map(({ conversation }) => conversation)).size).toBe(1);
    expect(places.map(({ sequence }) => sequence).sort((a, b) => a - b)).toEqual(times(50, (i) => i + 1));
    expect(await core.count('conversations')).toBe(1);
    await close();
  });

  it('FIF-4 events of one process are numbered in the order in which they came', async () => {
    const answers = await Promise.all(times(250, (i) => core.admit(comment('T-1', `comment ${i}`))));
    expect(answers.map((answer) => delivered(answer).sequence)).toEqual(times(250, (i) => i + 1));
  });

  it('ACC-2 a repeat is answered with what was decided then; other content under the same id is counted as a conflict', async () => {
    const first = comment('T-1');
    const answer = await core.admit(first);
    expect(await core.admit(first)).toEqual({ ...answer, duplicate: true });
    const forged = { ...first, body: Buffer.from('{"other":true}'), parsed: prompt('T-2', 'other') };
    expect(await core.admit(forged)).toEqual({ ...answer, duplicate: true });
    expect(await core.rows('select duplicates, conflicts from receipt_repeats')).toEqual([{ duplicates: 2, conflicts: 1 }]);
    expect(await core.count('conversations')).toBe(1);
  });

  it('ACC-2 B11 the same delivery id at another source, provider or organisation is another delivery', async () => {
    const deliveryId = 'guid-1';
    const answers = await core.admitAll(
      { ...comment('T-1'), deliveryId },
      { ...comment('T-1'), deliveryId, source: 'other' },
      { ...comment('T-1'), deliveryId, provider: 'other' },
      { ...comment('T-1'), deliveryId, org: 'other' },
    );
    expect(answers.map(({ duplicate }) => duplicate)).toEqual([false, false, false, false]);
    expect(await core.count('receipts')).toBe(4);
  });

  it('ACC-4 the first match of a conversation makes the delivery, later ones are recorded, and every refusal says why', async () => {
    const answer = await core.admit(comment('T-1'));
    const [row] = await core.rows<{ detail: string; number: number; decided_by: string }>(
      'select detail, number, decided_by from decisions',
    );
    expect(row).toMatchObject({ number: 0, decided_by: 'accept' });
    expect(JSON.parse(row?.detail ?? '')).toMatchObject({
      verdicts: [
        { route: 'triage', sequence: 1, disposition: 'routed' },
        { route: 'second', sequence: null, disposition: 'ignored', reason: 'same_conversation' },
      ],
      refusals: [{ route: 'filtered', reason: 'filter' }],
    });
    expect(answer.matched).toBe(2);
  });

  it('ACC-4 no match is an answer with its reason, and is stored', async () => {
    const nowhere = await core.admit({ ...comment('T-1'), source: 'elsewhere' });
    expect(nowhere).toMatchObject({ disposition: 'unmatched', reason: 'no_route', matched: 0, deliveries: [] });
    const bot = await core.admit(comment('T-1', 'beep', { author: { id: '1', name: 'bot', isBot: true } }));
    expect(bot).toMatchObject({ disposition: 'ignored', reason: 'author_bot', matched: 0 });
    expect(await core.count('decisions')).toBe(2);
    expect(await core.count('conversations')).toBe(0);
  });

  it('ACC-14 what is only recorded or ignored keeps its reason, and routes are not asked', async () => {
    const answers = await core.admitAll(
      event({ kind: 'recorded', subject: null, reason: 'unknown_event' }),
      event({ kind: 'ignored', subject: subject('T-1'), reason: 'own_message' }),
    );
    expect(answers).toMatchObject([
      { disposition: 'recorded', reason: 'unknown_event', matched: 0 },
      { disposition: 'ignored', reason: 'own_message', matched: 0 },
    ]);
  });

  it('ACC-13 a bad event answers alone: its neighbours in the same group are stored', async () => {
    const bad = { ...comment('T-bad'), secretIndex: 2 ** 70 };
    const results = await Promise.allSettled([core.admit(comment('T-1')), core.admit(bad), core.admit(comment('T-2'))]);
    const [first, poison, third] = results;
    expect([first?.status, third?.status]).toEqual(['fulfilled', 'fulfilled']);
    expect(poison).toMatchObject({ status: 'rejected' });
    expect(await core.count('receipts')).toBe(2);
  });

  it('IDN-7 two organisations share nothing, though their subjects read alike', async () => {
    const two = open(route(), route({ org: 'acme' }));
    const [a, b] = (await two.admitAll(comment('T-1'), { ...comment('T-1'), org: 'acme' })).map((answer) => delivered(answer).conversation);
    expect(a).not.toBe(b);
    await expect(two.admissions.send({ org: 'acme', conversation: a ?? '', text: 'x', wake: true, by: 'me', key: null })).rejects.toThrow(
      'there is no conversation',
    );
  });
});
