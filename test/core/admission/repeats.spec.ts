import { beforeEach, expect, it } from '@jest/globals';
import { comment, event, prompt, route } from '../builders.js';
import { type Core, delivered, eachCore } from '../core.js';

eachCore('messages that come again, or later', (open) => {
  let core: Core;

  beforeEach(() => {
    core = open(route());
  });

  it('ACC-10 B13 the same signed bytes under a new id are a duplicate of the first', async () => {
    const first = { ...comment('T-1'), uniqueContent: 'signed bytes' };
    const answer = await core.admit(first);
    const captured = { ...first, deliveryId: 'a new unsigned id' };
    expect(await core.admit(captured)).toEqual({ ...answer, duplicate: true });
    expect(await core.admit({ ...captured, deliveryId: 'other', source: 'elsewhere' })).toMatchObject({ duplicate: false });
    expect(await core.count('receipts')).toBe(2);
  });

  it('ACC-10 the same bytes twice in one group make one receipt', async () => {
    const first = { ...comment('T-1'), uniqueContent: Buffer.from('signed bytes') };
    const answers = await Promise.all(['a', 'b', 'c'].map((deliveryId) => core.admit({ ...first, deliveryId })));
    expect(answers.filter(({ duplicate }) => !duplicate)).toHaveLength(1);
    expect(await core.count('deliveries')).toBe(1);
  });

  it('ACC-10 where bodies may repeat, the same body under another id is another event', async () => {
    const first = comment('T-1');
    await core.admitAll(first, { ...first, deliveryId: 'second' });
    expect(await core.count('deliveries')).toBe(2);
  });

  it('ACC-7 the second event about one message makes no delivery', async () => {
    const { conversation } = delivered(await core.admit(comment('T-1', '@agent hi', { messageKey: 'C1/17.1' })));
    const second = await core.admit(comment('T-1', '@agent hi', { messageKey: 'C1/17.1' }));
    expect(second).toMatchObject({ duplicate: false, disposition: 'ignored', reason: 'same_message', matched: 1, deliveries: [] });
    expect(await core.deliveries(conversation)).toHaveLength(1);
  });

  it('ACC-7 B1 two events of one message in one group make one delivery, and it wakes if either does', async () => {
    const two = open(route({ on: ['app_mention'] }), route({ name: 'quiet', on: ['message'], wake: false }));
    const said = prompt('T-1', 'hi', { messageKey: 'C1/17.1' });
    const answers = await Promise.all(['message', 'app_mention'].map((eventKey) => two.admit(event(said, { eventKey }))));
    const [first] = answers;
    if (!first) throw new Error('no answer');
    const { conversation } = delivered(first);
    expect(await two.deliveries(conversation)).toMatchObject([{ sequence: 1, route: 'triage', waking: 1 }]);
    expect(await two.claimOne()).toMatchObject({ conversation, from: 1, to: 1 });
  });

  it('ACC-7 the second event makes a waiting message wake, if the first did not', async () => {
    const two = open(route({ on: ['app_mention'] }), route({ name: 'quiet', on: ['message'], wake: false }));
    const said = prompt('T-1', 'hi', { messageKey: 'C1/17.1' });
    await two.admit(event(said, { eventKey: 'message' }));
    expect(await two.claim()).toEqual([]);
    await two.admit(event(said, { eventKey: 'app_mention' }));
    await two.finish(await two.claimOne());
  });

  it('ACC-7 the mention speaks for the message, with its route and the stricter trust; the fuller text of the two is kept', async () => {
    const mention = route({ on: ['app_mention'], trust: 'trusted' });
    const two = open(mention, route({ name: 'quiet', on: ['message'], wake: false, trust: 'untrusted' }));
    const said = (text: string) => prompt('T-1', text, { messageKey: 'C1/17.1' });
    await two.admit(event(said('hi'), { eventKey: 'message' }));
    await two.admit(event(said('<@agent> hi'), { eventKey: 'app_mention' }));
    await two.admit(event(said('<@agent> hi\n[file] plan.pdf'), { eventKey: 'message' }));
    await two.admit(event(said('hi'), { eventKey: 'message' }));
    expect(await two.rows('select route, trust, waking, text from deliveries')).toEqual([
      { route: 'triage', trust: 'untrusted', waking: 1, text: '<@agent> hi\n[file] plan.pdf' },
    ]);
  });

  it('ACC-7 if the first event made no delivery, the second does', async () => {
    const one = open(route({ on: ['message'] }));
    const said = prompt('T-1', 'hi', { messageKey: 'C1/17.1' });
    expect(await one.admit(event(said, { eventKey: 'app_mention' }))).toMatchObject({ disposition: 'unmatched', reason: 'event_key' });
    expect(await one.admit(event(said, { eventKey: 'message' }))).toMatchObject({ disposition: 'routed' });
  });

  it('ACC-9 a plain reply joins a conversation that exists, and starts none', async () => {
    const reply = () => comment('T-1', 'a reply', { continueOnly: true });
    expect(await core.admit(reply())).toMatchObject({ disposition: 'ignored', reason: 'no_conversation', matched: 1, deliveries: [] });
    await core.admit(comment('T-1'));
    expect(delivered(await core.admit(reply()))).toMatchObject({ sequence: 2 });
  });

  it('ACC-5 an on_demand route keeps the receipt alone; a replay admits it then, once', async () => {
    const one = open(route({ activation: 'on_demand' }));
    const answer = await one.admit(comment('T-1'));
    expect(answer).toMatchObject({ disposition: 'recorded', reason: 'on_demand', matched: 1, deliveries: [] });
    const replay = { org: 'default', receipt: Number(answer.receipt), by: 'ada', routes: null, force: false };
    const replayed = await one.admissions.replay(replay);
    expect(replayed).toMatchObject({ disposition: 'routed', duplicate: false, receipt: answer.receipt });
    expect(await one.admissions.replay(replay)).toMatchObject({ disposition: 'ignored', reason: 'same_conversation' });
    expect(await one.deliveries(delivered(replayed).conversation)).toHaveLength(1);
    const decisions = await one.rows('select number, decided_by, disposition from decisions order by number');
    expect(decisions).toEqual([
      { number: 0, decided_by: 'accept', disposition: 'recorded' },
      { number: 1, decided_by: 'ada', disposition: 'routed' },
      { number: 2, decided_by: 'ada', disposition: 'ignored' },
    ]);
  });

  it('ACC-5 twenty replays of one receipt at once, over two processes, admit it once', async () => {
    const one = open(route({ activation: 'on_demand' }));
    const { core: other, close } = await one.another(route({ activation: 'on_demand' }));
    const { receipt } = await one.admit(event({ kind: 'prompt', subject: null, text: 'no subject' }));
    const replay = { org: 'default', receipt: Number(receipt), by: 'ada', routes: null, force: false };
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? one : other).admissions.replay(replay)));
    expect(answers.filter(({ disposition }) => disposition === 'routed')).toHaveLength(1);
    expect([await one.count('deliveries'), await one.count('decisions')]).toEqual([1, 21]);
    await close();
  });

  it('ACC-10 a forced replay delivers once more, under a receipt of its own, also where messages have a key', async () => {
    const first = await core.admit(comment('T-1', 'again', { messageKey: 'C1/17.1' }));
    const replay = { org: 'default', receipt: Number(first.receipt), by: 'ada', routes: null };
    expect(await core.admissions.replay({ ...replay, force: false })).toMatchObject({
      disposition: 'ignored',
      reason: 'same_conversation',
    });
    const forced = await core.admissions.replay({ ...replay, force: true });
    expect(delivered(forced)).toMatchObject({ conversation: delivered(first).conversation, sequence: 2 });
    expect(forced.receipt).not.toBe(first.receipt);
  });

  it('ACC-10 a forced replay of an on_demand route delivers, each time once more', async () => {
    const one = open(route({ activation: 'on_demand' }));
    const { receipt } = await one.admit(comment('T-1'));
    const replay = { org: 'default', receipt: Number(receipt), by: 'ada', routes: null, force: true };
    const forced = await one.admissions.replay(replay);
    expect(forced).toMatchObject({ disposition: 'routed', deliveries: [{ sequence: 1 }] });
    expect(delivered(await one.admissions.replay(replay))).toMatchObject({
      conversation: delivered(forced).conversation,
      sequence: 2,
    });
    expect(await one.rows('select decided_by from decisions order by receipt')).toEqual(
      ['accept', 'ada', 'ada'].map((decided_by) => ({ decided_by })),
    );
  });

  it('ACC-10 an event without a subject is replayed by force into its own conversation, also from a replay of it', async () => {
    const first = await core.admit(event({ kind: 'prompt', subject: null, text: 'pushed' }));
    const { conversation } = delivered(first);
    const replay = { org: 'default', by: 'ada', routes: null, force: true };
    const forced = await core.admissions.replay({ ...replay, receipt: Number(first.receipt) });
    expect(delivered(forced)).toMatchObject({ conversation, sequence: 2 });
    expect(delivered(await core.admissions.replay({ ...replay, receipt: Number(forced.receipt) }))).toMatchObject({
      conversation,
      sequence: 3,
    });
  });

  it('ACC-11 a replay needs the payload only where a route reads it', async () => {
    const reading = open(route({ filter: 'number' }));
    const { receipt } = await core.admit(comment('T-1'));
    await core.change('update receipts set payload = null');
    const replay = { org: 'default', receipt: Number(receipt), by: 'ada', routes: null, force: true };
    expect(await core.admissions.replay(replay)).toMatchObject({ disposition: 'routed' });
    await expect(reading.admissions.replay(replay)).rejects.toMatchObject({ code: 'payload_unavailable' });
    await expect(core.admissions.replay({ ...replay, org: 'other' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(core.admissions.replay({ ...replay, receipt: 123_456_789 })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('ACC-12 a message of the API has a receipt; its idempotency key makes it one', async () => {
    const { conversation } = delivered(await core.admit(comment('T-1')));
    const message = { org: 'default', conversation, text: 'go on', wake: true, by: 'ada', key: 'k-1' };
    const first = await core.admissions.send(message);
    expect(first).toMatchObject({ disposition: 'routed', matched: 1, deliveries: [{ route: null, conversation, sequence: 2 }] });
    expect(await core.admissions.send(message)).toEqual({ ...first, duplicate: true });
    expect(delivered(await core.admissions.send({ ...message, key: null, wake: false }))).toMatchObject({ sequence: 3 });
    expect(delivered(await core.admissions.send({ ...message, key: null }))).toMatchObject({ sequence: 4 });
    expect(await core.rows("select provider, source from receipts where provider = 'throughline'")).toHaveLength(3);
    await expect(core.admissions.send({ ...message, conversation: '0849f197-08b1-5171-baeb-e59539bb8f4b' })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('IDN-8 each routed event without a subject has a conversation of its own', async () => {
    const push = () => event({ kind: 'prompt', subject: null, text: 'pushed' });
    const places = (await core.admitAll(push(), push())).map(delivered);
    expect(new Set(places.map(({ conversation }) => conversation)).size).toBe(2);
    expect(places.map(({ sequence }) => sequence)).toEqual([1, 1]);
  });
});
