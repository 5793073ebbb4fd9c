import { beforeEach, expect, it } from '@jest/globals';
import { saveSession } from '../../../src/core/conversations/conversations.js';
import { checkpoint } from '../../../src/core/turns/turns.js';
import { closing, comment, ended, event, lifecycle, opened, prompt, route } from '../builders.js';
import { type Core, delivered, eachCore } from '../core.js';

const reopening = (key: string, second: number) => event(prompt(key, 'reopened it', { observation: opened(second) }));

eachCore('the end of a subject', (open) => {
  let core: Core;

  beforeEach(() => {
    core = open(route());
  });

  /** A conversation with three messages, closed at the given second. */
  const closed = async (key: string, second = 10) => {
    const [first] = await core.admitAll(comment(key), comment(key), comment(key));
    const { conversation } = delivered(first ?? (await core.admit(comment(key))));
    await core.admit(closing(key, second));
    return conversation;
  };

  it('TRM-2 retires all that waits and runs, clears the session, fences the turn, and leaves its own row', async () => {
    const [first] = await core.admitAll(comment('T-1'), comment('T-1'), comment('T-1'));
    const { conversation } = delivered(first ?? (await core.admit(comment('T-1'))));
    const claim = await core.claimOne({ coalesce: () => 1 });
    await core.database.transaction((tx) => checkpoint(tx, { ...claim, attempt: 1, startedAt: claim.claimedAt }, null));
    await core.database.transaction((tx) => saveSession(tx, conversation, 's-1'));
    const fenced: unknown[] = [];
    core.signals.on('fenced', (conversations) => fenced.push(...conversations));

    expect(await core.admit(closing('T-1', 10))).toMatchObject({
      disposition: 'lifecycle',
      reason: 'completed',
      deliveries: [{ conversation, sequence: 4 }],
    });

    expect(await core.conversation(conversation)).toMatchObject({ state: 'terminal', reason: 'completed', session: null });
    expect(await core.outcomes(conversation)).toEqual(['prompt retired', 'prompt retired', 'prompt retired', 'lifecycle open']);
    expect(await core.rows('select state from turns')).toEqual([{ state: 'retired' }]);
    expect(fenced).toEqual([conversation]);
    expect(await core.finish(claim)).toBe('stale');
    expect(await core.database.transaction((tx) => saveSession(tx, conversation, 's-2'))).toBe(false);
    expect(await core.claimOne()).toMatchObject({ from: 4, to: 4, token: claim.token + 2, head: { kind: 'lifecycle' } });
  });

  it('TRM-5 while it is terminal a comment has a decision and no delivery', async () => {
    const conversation = await closed('T-1');
    expect(await core.admit(comment('T-1'))).toMatchObject({ disposition: 'ignored', reason: 'terminal', matched: 1, deliveries: [] });
    const message = { org: 'default', conversation, text: 'hi', wake: true, by: 'ada', key: null };
    expect(await core.admissions.send(message)).toMatchObject({ disposition: 'ignored', reason: 'terminal' });
    expect(await core.deliveries(conversation)).toHaveLength(4);
  });

  it('TRM-4 an end that comes first ends a conversation that has neither turn nor message', async () => {
    const answer = await core.admit(closing('T-1', 10));
    const { conversation } = delivered(answer);
    expect(answer).toMatchObject({ disposition: 'lifecycle', matched: 1 });
    expect(await core.conversation(conversation)).toMatchObject({ state: 'terminal' });
    expect(await core.outcomes(conversation)).toEqual(['lifecycle open']);
    expect(await core.admit(comment('T-1'))).toMatchObject({ disposition: 'ignored', reason: 'terminal' });
  });

  it('TRM-8 an end makes a conversation only where a match exists; one made later takes over the state', async () => {
    const some = open(route({ on: ['comment.*'] }));
    expect(await some.admit(closing('T-1', 10))).toMatchObject({ disposition: 'unmatched' });
    expect(await some.count('conversations')).toBe(0);
    expect(await some.admit(comment('T-1'))).toMatchObject({ disposition: 'ignored', reason: 'terminal' });
    expect(await some.admit(comment('T-1', 'still open', { observation: opened(5, { transition: false }) }))).toMatchObject({
      reason: 'terminal',
    });
    expect(await some.count('conversations')).toBe(0);
  });

  it('TRM-6 B31 B32 only a newer open state reopens: a late close changes nothing, nor does an older open', async () => {
    const conversation = await closed('T-1', 10);
    expect(await core.admit(event(lifecycle('T-1', opened(5))))).toMatchObject({ disposition: 'recorded', reason: 'stale' });
    expect(await core.conversation(conversation)).toMatchObject({ state: 'terminal' });
    expect(await core.admit(reopening('T-1', 20))).toMatchObject({ disposition: 'routed', deliveries: [{ conversation, sequence: 5 }] });
    expect(await core.admit(closing('T-1', 15))).toMatchObject({ disposition: 'recorded', reason: 'stale' });
    expect(await core.conversation(conversation)).toMatchObject({ state: 'open', reason: null });
    expect(await core.outcomes(conversation)).toEqual([...Array(3).fill('prompt retired'), 'lifecycle open', 'prompt open']);
  });

  it('TRM-1 the same end again is recorded as a repeat and makes nothing', async () => {
    const conversation = await closed('T-1', 10);
    expect(await core.admit(closing('T-1', 10))).toMatchObject({ disposition: 'recorded', reason: 'repeated', deliveries: [] });
    expect(await core.deliveries(conversation)).toHaveLength(4);
  });

  it('GIT-2 an end carried by a comment makes one lifecycle delivery, and the comment none', async () => {
    const carried = (second: number) => comment('T-1', 'after the fact', { observation: ended(second, { transition: false }) });
    const { conversation } = delivered(await core.admit(comment('T-1')));
    expect(await core.admit(carried(10))).toMatchObject({ disposition: 'lifecycle', deliveries: [{ conversation, sequence: 2 }] });
    expect(await core.admit(carried(11))).toMatchObject({ disposition: 'ignored', reason: 'terminal' });
    expect(await core.outcomes(conversation)).toEqual(['prompt retired', 'lifecycle open']);
    expect(await core.conversation(conversation)).toMatchObject({ revision: ended(11).revision });
  });

  it('GIT-2 an open state carried by a comment reopens, and the comment is heard', async () => {
    const conversation = await closed('T-1', 10);
    const carrying = comment('T-1', 'we missed the reopening', { observation: opened(20, { transition: false }) });
    expect(await core.admit(carrying)).toMatchObject({ disposition: 'routed', deliveries: [{ conversation, sequence: 5 }] });
    expect(await core.conversation(conversation)).toMatchObject({ state: 'open' });
  });

  it('TRM-8 every conversation about the subject follows, in any scope and whatever its route takes', async () => {
    const both = open(
      route({ on: ['comment.*'] }),
      route({ name: 'own', scope: 'automation', on: ['comment.*'] }),
      route({ name: 'deaf', scope: 'automation', on: ['comment.*'], lifecycle: 'ignore' }),
    );
    const answer = await both.admit(comment('T-1'));
    const ids = answer.deliveries.map(({ conversation }) => conversation);
    const end = await both.admit({ ...closing('T-1', 10), source: 'elsewhere' });
    expect(end).toMatchObject({ disposition: 'lifecycle', matched: 0 });
    expect(end.deliveries.map(({ conversation }) => conversation).sort()).toEqual([ids[0], ids[1]].sort());
    const states = await Promise.all(ids.map(async (id) => (await both.conversation(id)).state));
    expect(states).toEqual(['terminal', 'terminal', 'open']);
    expect(await both.admit({ ...closing('T-1', 11), org: 'other' })).toMatchObject({ disposition: 'unmatched' });
  });

  it('TRM-5 a route may answer after the end, for one turn that keeps no session', async () => {
    const answering = open(route({ afterClose: 'answer' }));
    await closed('T-1');
    const answer = await answering.admit(comment('T-1'));
    expect(answer).toMatchObject({ disposition: 'routed', deliveries: [{ sequence: 5 }] });
    const { conversation } = delivered(answer);
    expect(await core.conversation(conversation)).toMatchObject({ state: 'terminal' });
    await core.finish(await core.claimOne());
    await core.finish(await core.claimOne());
    expect((await core.outcomes(conversation)).slice(-2)).toEqual(['lifecycle done', 'prompt done']);
  });

  it('TRM-2 messages, an end and a reopening in one group are decided in their order', async () => {
    const key = { messageKey: 'C1/1' };
    const answers = await Promise.all([
      core.admit(comment('T-1', 'one', key)),
      core.admit(comment('T-1', 'two')),
      core.admit(closing('T-1', 10)),
      core.admit(comment('T-1', 'too late')),
      core.admit(reopening('T-1', 20)),
      core.admit(comment('T-1', 'one', key)),
    ]);
    expect(answers.map(({ disposition, reason }) => reason ?? disposition)).toEqual([
      'routed',
      'routed',
      'completed',
      'terminal',
      'routed',
      'same_message',
    ]);
    const { conversation } = delivered(answers[0] ?? (await core.admit(comment('T-1'))));
    expect(await core.outcomes(conversation)).toEqual(['prompt retired', 'prompt retired', 'lifecycle open', 'prompt open']);
  });

  it('ACC-7 a message that waited for nobody and was retired is not woken by its second event', async () => {
    const two = open(route({ on: ['message'], wake: false }), route({ name: 'loud', on: ['app_mention', 'issue.*'] }));
    const said = prompt('T-1', 'hi', { messageKey: 'C1/1' });
    const { conversation } = delivered(await two.admit(event(said, { eventKey: 'message' })));
    await Promise.all([
      two.admit(event(said, { eventKey: 'issue.seen' })),
      two.admit(closing('T-1', 10)),
      two.admit(event(prompt('T-1', 're', { observation: opened(20) }), { eventKey: 'issue.reopened' })),
      two.admit(event(said, { eventKey: 'app_mention' })),
    ]);
    expect(await two.queue(conversation)).toMatchObject({ open: 2, waking: 2 });
  });
});
