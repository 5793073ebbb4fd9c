import { beforeEach, expect, it } from '@jest/globals';
import type { AdmissibleEvent } from '../../../src/core/admission/plan-admission.js';
import { readContents } from '../../../src/core/deliveries/deliveries.js';
import { pruneReceipts } from '../../../src/core/receipts/prune-receipts.js';
import type { Edit, Withdrawal } from '../../../src/plugin/index.js';
import { closing, comment, event, revision, route, subject } from '../builders.js';
import { type Core, delivered, eachCore } from '../core.js';

const ADA = { id: '42', name: 'ada', isBot: false };

function edited(key: string, text: string, second: number | null, change: Partial<Edit> = {}): AdmissibleEvent {
  const parsed: Edit = {
    ...{ kind: 'edit', subject: subject(key), author: ADA, messageKey: 'm-1', text },
    ...{ revision: second === null ? null : revision(second), ...change },
  };
  return event(parsed, { eventKey: 'comment.edited' });
}

function withdrawn(key: string, change: Partial<Withdrawal> = {}): AdmissibleEvent {
  return event({ kind: 'withdrawal', subject: subject(key), author: ADA, messageKey: 'm-1', ...change }, { eventKey: 'comment.deleted' });
}

eachCore('messages that are edited or withdrawn', (open) => {
  let core: Core;

  beforeEach(() => {
    core = open(route({ on: ['comment.created'] }));
  });

  const said = (text = 'first words') => comment('T-1', text, { messageKey: 'm-1' });
  const admitted = async (on = core) => delivered(await on.admit(said())).conversation;

  async function textsOf(on: Core, claim: { conversation: string; from: number; to: number }): Promise<string[]> {
    const contents = await on.database.transaction((tx) => readContents(tx, [claim]));
    return contents.map(({ text, parsed }) => text ?? (JSON.parse(parsed) as { text: string }).text);
  }

  it('ACC-8 an edit of a waiting message replaces its text in its place, whatever events the route takes', async () => {
    const conversation = await admitted();
    await core.admit(comment('T-1', 'another'));
    const answer = await core.admit(edited('T-1', 'better words', 1));
    expect(answer).toMatchObject({ disposition: 'recorded', reason: 'edited', deliveries: [] });
    const claim = await core.claimOne();
    expect(await textsOf(core, claim)).toEqual(['better words', 'another']);
    expect(await core.rows('select kind, sequence, receipt from notes')).toEqual([
      { kind: 'edited', sequence: 1, receipt: Number(answer.receipt) },
    ]);
    expect(claim).toMatchObject({ conversation, from: 1, to: 2 });
  });

  it('ACC-8 a withdrawn message that waits is completed as withdrawn, and wakes nobody', async () => {
    const conversation = await admitted();
    expect(await core.admit(withdrawn('T-1'))).toMatchObject({ disposition: 'recorded', reason: 'withdrawn', deliveries: [] });
    expect(await core.outcomes(conversation)).toEqual(['prompt withdrawn']);
    expect(await core.queue(conversation)).toMatchObject({ open: 0, waking: 0, ready_at: null });
    expect(await core.claim()).toEqual([]);
    expect(await core.admit(edited('T-1', 'too late', 9))).toMatchObject({ disposition: 'ignored', reason: 'already_withdrawn' });
  });

  it('ACC-8 those behind a withdrawn head go on, also where the head had stalled the conversation', async () => {
    const conversation = await admitted();
    for (let attempt = 1; attempt <= 3; attempt++) {
      await core.makeDue(conversation);
      await core.fail(await core.claimOne());
    }
    await core.admit(comment('T-1', 'behind'));
    expect(await core.claim()).toEqual([]);
    await core.admit(withdrawn('T-1'));
    expect(await core.claimOne()).toMatchObject({ from: 2, to: 2 });
  });

  it('ACC-8 a message in the middle is withdrawn and its neighbours enter one turn', async () => {
    await core.admit(comment('T-1', 'one'));
    const conversation = await admitted();
    await core.admit(comment('T-1', 'three'));
    await core.admit(withdrawn('T-1'));
    const claim = await core.claimOne();
    expect(await textsOf(core, claim)).toEqual(['one', 'three']);
    await core.finish(claim);
    expect(await core.outcomes(conversation)).toEqual(['prompt done', 'prompt withdrawn', 'prompt done']);
  });

  it('ACC-8 a held message is edited and withdrawn like any other', async () => {
    const conversation = await admitted();
    await core.change("update deliveries set state = 'held'");
    expect(await core.claim()).toEqual([]);
    expect((await core.queue(conversation)).parked).toBe('held');
    await core.admit(edited('T-1', 'better words', 1));
    expect(await core.rows('select text, state from deliveries')).toEqual([{ text: 'better words', state: 'held' }]);
    await core.admit(withdrawn('T-1'));
    expect(await core.queue(conversation)).toMatchObject({ open: 0, parked: null });
  });

  it('ACC-8 an older edit that arrives late changes nothing, and neither does the same again', async () => {
    await admitted();
    await core.admit(edited('T-1', 'second words', 2));
    expect(await core.admit(edited('T-1', 'first words, mended', 1))).toMatchObject({ disposition: 'ignored', reason: 'stale' });
    expect(await core.admit(edited('T-1', 'second words', 3))).toMatchObject({ disposition: 'ignored', reason: 'no_text_change' });
    expect(await textsOf(core, await core.claimOne())).toEqual(['second words']);
  });

  it('ACC-8 what is being worked on, or was, comes again only where the route asks', async () => {
    const conversation = await admitted();
    const claim = await core.claimOne();
    expect(await core.admit(edited('T-1', 'other words', 1))).toMatchObject({ disposition: 'ignored', reason: 'already_delivered' });
    await core.finish(claim);
    expect(await core.admit(withdrawn('T-1'))).toMatchObject({ disposition: 'ignored', reason: 'already_delivered' });
    expect(await core.outcomes(conversation)).toEqual(['prompt done']);
  });

  it('ACC-8 with edits: deliver the agent is told once of what the message says by then', async () => {
    const telling = open(route({ on: ['comment.created'], edits: 'deliver' }));
    const conversation = await admitted(telling);
    await telling.finish(await telling.claimOne());
    expect(delivered(await telling.admit(edited('T-1', 'second words', 1)))).toMatchObject({ conversation, sequence: 2 });
    await telling.admit(edited('T-1', 'third words', 2));
    const claim = await telling.claimOne();
    expect(await textsOf(telling, claim)).toEqual(['This message was edited, and reads now:\n\nthird words']);
    await telling.finish(claim);
    expect(await telling.admit(edited('T-1', 'third words', 3))).toMatchObject({ reason: 'no_text_change' });
    expect(delivered(await telling.admit(withdrawn('T-1')))).toMatchObject({ sequence: 3 });
    expect(await telling.admit(withdrawn('T-1'))).toMatchObject({ disposition: 'ignored', reason: 'already_withdrawn' });
    expect(await textsOf(telling, await telling.claimOne())).toEqual(['This message was withdrawn:\n\nthird words']);
  });

  it('ACC-8 an edit of which the agent is about to be told turns into the withdrawal', async () => {
    const telling = open(route({ on: ['comment.created'], edits: 'deliver' }));
    await admitted(telling);
    await telling.finish(await telling.claimOne());
    await telling.admitAll(edited('T-1', 'second words', 1), withdrawn('T-1'));
    expect(await textsOf(telling, await telling.claimOne())).toEqual(['This message was withdrawn:\n\nsecond words']);
  });

  it('ACC-8 whom the route does not listen to cannot wake an agent with an edit, but corrects what waits', async () => {
    const telling = open(route({ edits: 'deliver' }));
    await admitted(telling);
    const byBot = { author: { ...ADA, isBot: true } };
    expect(await telling.admit(edited('T-1', 'tidy words', 1, byBot))).toMatchObject({ reason: 'edited' });
    await telling.finish(await telling.claimOne());
    expect(await telling.admit(edited('T-1', 'tidier words', 2, byBot))).toMatchObject({ reason: 'already_delivered' });
  });

  it('ACC-8 an edit of a message that no route took is ignored, and opens nothing', async () => {
    expect(await core.admit(edited('T-1', 'words', 1))).toMatchObject({ disposition: 'ignored', reason: 'no_delivery', matched: 0 });
    expect(await core.count('conversations')).toBe(0);
  });

  it('ACC-8 a message and its changes in one group are decided in their order', async () => {
    const [first, second, third] = await Promise.all([
      core.admit(said()),
      core.admit(edited('T-1', 'better', 1)),
      core.admit(withdrawn('T-1')),
    ]);
    expect([first.disposition, second.reason, third.reason]).toEqual(['routed', 'edited', 'withdrawn']);
    expect(await core.outcomes(delivered(first).conversation)).toEqual(['prompt withdrawn']);
  });

  it('ACC-8 each conversation of the message is changed, also where an expression names the subject', async () => {
    const routes = [
      route({ name: 'shared' }),
      route({ name: 'own', scope: 'automation', text: "join('', ['own: ', parsed.text])" }),
      route({ name: 'named', subject: 'parsed.subject.key' }),
    ];
    const many = open(...routes);
    const answer = await many.admit(said());
    expect(answer.deliveries).toHaveLength(3);
    await many.admit(edited('T-1', 'better', 1));
    expect(await many.rows('select text from deliveries order by route')).toEqual([
      { text: 'better' },
      { text: 'own: better' },
      { text: 'better' },
    ]);
  });

  it('ACC-8 an ended conversation is told of no edit', async () => {
    const telling = open(route({ edits: 'deliver' }));
    await admitted(telling);
    await telling.finish(await telling.claimOne());
    await telling.admit(closing('T-1', 5));
    expect(await telling.admit(edited('T-1', 'late', 9))).toMatchObject({ disposition: 'ignored', reason: 'terminal' });
  });

  it('ACC-8 an edit or a withdrawal against a claim: the agent has the old text or the new, and no message is lost or counted twice', async () => {
    const { core: other, close } = await core.another(route({ on: ['comment.created'] }));
    const keys = Array.from({ length: 40 }, (_, i) => `R-${i}`);
    const places = await Promise.all(keys.map((key) => core.admit(comment(key, 'old', { messageKey: 'm-1' }))));
    const conversations = places.map((place) => delivered(place).conversation);
    const [answers, ...rounds] = await Promise.all([
      Promise.all(keys.map((key, i) => core.admit(i % 2 === 0 ? edited(key, 'new', 1) : withdrawn(key)))),
      ...Array.from({ length: 10 }, () => other.claim({ limit: 4 })),
    ]);
    const claims = [...rounds.flat(), ...(await other.claim())];
    const cameInTime = (i: number) => answers[i]?.disposition === 'recorded';
    const claimed = new Map(claims.map((claim) => [conversations.indexOf(claim.conversation), claim]));
    for (const [i, conversation] of conversations.entries()) {
      const claim = claimed.get(i);
      const expected = i % 2 === 0 ? [cameInTime(i) ? 'new' : 'old'] : cameInTime(i) ? [] : ['old'];
      expect([conversation, claim ? await textsOf(other, claim) : []]).toEqual([conversation, expected]);
    }
    await close();
  });

  it('ACC-8 an edit that comes before its message gives it its words, in both orders of two of them and over two replicas', async () => {
    const { core: second, close } = await core.another(route({ on: ['comment.created'] }));
    const answer = await core.admit(edited('T-1', 'second edit', 2));
    expect(answer).toMatchObject({ disposition: 'ignored', reason: 'no_delivery' });
    await second.admit(edited('T-1', 'first edit', 1));
    const { conversation, sequence } = delivered(await second.admit(said()));
    expect(await core.rows('select text, text_revision from deliveries')).toEqual([{ text: 'second edit', text_revision: revision(2) }]);
    expect(await core.rows('select kind, sequence, receipt from notes')).toEqual([
      { kind: 'edited', sequence, receipt: Number(answer.receipt) },
    ]);
    expect(await core.admit(edited('T-1', 'first edit', 1))).toMatchObject({ disposition: 'ignored', reason: 'stale' });
    await core.admit(edited('T-1', 'third edit', 3));
    expect(await textsOf(core, await core.claimOne())).toEqual(['third edit']);
    expect(await core.outcomes(conversation)).toEqual(['prompt open']);
    await close();
  });

  it('ACC-8 a message that was withdrawn before it came wakes nobody and makes no conversation, whatever edits come with it', async () => {
    await core.admit(edited('T-1', 'edited before', 9));
    await core.admit(withdrawn('T-1'));
    await core.admit(edited('T-1', 'edited after', 10));
    expect(await core.admit(said())).toMatchObject({ disposition: 'ignored', reason: 'withdrawn', deliveries: [] });
    expect([await core.count('conversations'), await core.count('deliveries')]).toEqual([0, 0]);
    const other = delivered(await core.admit(comment('T-1', 'another', { messageKey: 'm-2' })));
    expect(await textsOf(core, await core.claimOne())).toEqual(['another']);
    expect(other).toMatchObject({ sequence: 1 });
  });

  it('ACC-8 edit and message that arrive together find each other, also where a route has words and a subject of its own', async () => {
    const own = { on: ['comment.created'], text: 'shout', subject: 'about' };
    const one = open(route(own));
    const payload = (shout: string, about = 'T-9') => ({ payload: { shout, about } });
    await Promise.all([
      ...[edited('T-1', 'x', 1), edited('T-1', 'y', 2)].map((each, i) => one.admit({ ...each, ...payload(`EDIT ${i + 1}`) })),
      one.admit({ ...said(), ...payload('FIRST') }),
      one.admit({ ...comment('T-2', 'y', { messageKey: 'm-1' }), ...payload('OF T-2', 'T-8') }),
    ]);
    expect(await one.rows('select text from deliveries order by text')).toEqual([{ text: 'EDIT 2' }, { text: 'OF T-2' }]);
  });

  it('ACC-8 ACC-5 a message that was kept on demand is admitted as it was edited meanwhile, also when the body of the edit is gone', async () => {
    const kept = open(route({ activation: 'on_demand', text: 'parsed.text' }));
    const { receipt } = await kept.admit(said());
    await kept.admit(edited('T-1', 'better words', 1));
    await core.change('update receipts set payload = null where id <> ?', Number(receipt));
    await kept.admissions.replay({ org: 'default', receipt: Number(receipt), by: 'ada', routes: null, force: false });
    expect(await textsOf(core, await core.claimOne())).toEqual(['better words']);
  });

  it('ACC-8 ADM-6 what is remembered of early changes goes with their receipts', async () => {
    await core.admit(edited('T-1', 'better words', 1));
    expect(await core.rows('select message_key from early_changes')).toEqual([{ message_key: 'm-1' }]);
    await core.change('update receipts set received_at = 1');
    await core.database.transaction((tx) => pruneReceipts(tx, Date.now(), 0, 10));
    expect(await core.count('early_changes')).toBe(0);
    await admitted();
    expect(await textsOf(core, await core.claimOne())).toEqual(['first words']);
  });
});
