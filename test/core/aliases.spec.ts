import { beforeEach, expect, it } from '@jest/globals';
import { AliasBindings } from '../../src/core/alias-bindings.js';
import { identify } from '../../src/core/conversations/conversation-id.js';
import type { Subject } from '../../src/plugin/index.js';
import { closing, comment, ended, event, lifecycle, opened, prompt, route, subject } from './builders.js';
import { type Core, delivered, eachCore } from './core.js';

eachCore('aliases of subjects', (open) => {
  let core: Core;
  let bindings: AliasBindings;

  beforeEach(() => {
    core = open(route());
    bindings = new AliasBindings(core.database);
  });

  const place = async (key: string, on = core) => delivered(await on.admit(comment(key)));
  const bind = (conversation: string, alias: Subject) => bindings.bind({ org: 'default', conversation, by: 'ada' }, alias);
  const ownId = (key: string) => identify('default', subject(key), { scope: 'subject' }).id;

  it('IDN-6 events about an alias join the conversation that it is bound to, before any id is computed', async () => {
    const { conversation } = await place('A');
    await bind(conversation, subject('B'));
    expect(await place('B')).toMatchObject({ conversation, sequence: 2 });
    expect(await core.count('conversations')).toBe(1);
    expect(await bindings.list({ org: 'default', conversation })).toMatchObject([{ ...subject('B'), alias_by: 'ada' }]);
    expect(await core.rows('select kind, noted_by, reason from notes')).toEqual([
      { kind: 'alias', noted_by: 'ada', reason: 'tracker:acme B' },
    ]);
  });

  it('IDN-6 an alias holds in every scope: a route of its own has one conversation of both subjects', async () => {
    const two = open(route(), route({ name: 'own', scope: 'automation' }));
    const answer = await two.admit(comment('A'));
    await bind(delivered(answer).conversation, subject('B'));
    const later = await two.admit(comment('B'));
    expect(later.deliveries.map(({ conversation }) => conversation)).toEqual(answer.deliveries.map(({ conversation }) => conversation));
  });

  it('IDN-6 the life of an alias is the life of the conversation, and its own other conversations are left alone', async () => {
    const { conversation } = await place('A');
    await place('B');
    await core.admit(closing('B', 1));
    await bind(conversation, subject('B'));
    await core.admit(event(lifecycle('B', opened(2))));
    expect([await core.conversation(conversation), await core.conversation(ownId('B'))]).toMatchObject([
      { state: 'open' },
      { state: 'terminal' },
    ]);
    await core.admit(closing('B', 3));
    expect(await core.conversation(conversation)).toMatchObject({ state: 'terminal' });
  });

  it('IDN-6 a subject with an open conversation of its own is refused, and says which', async () => {
    const { conversation } = await place('A');
    const { conversation: own } = await place('B');
    await expect(bind(conversation, subject('B'))).rejects.toThrow(`has a conversation of its own, ${own}`);
    await core.admit(closing('B', 1));
    await bind(conversation, subject('B'));
    await bind(conversation, subject('B'));
    expect(await core.rows("select kind from notes where kind = 'alias'")).toHaveLength(1);
  });

  it('IDN-6 an alias is bound to one conversation, never to itself or to an alias, and can be removed', async () => {
    const [a, c] = [await place('A'), await place('C')];
    await bind(a.conversation, subject('B'));
    await expect(bind(c.conversation, subject('B'))).rejects.toMatchObject({ code: 'conflict' });
    await expect(bind(a.conversation, subject('A'))).rejects.toMatchObject({ code: 'conflict' });
    await core.admit(closing('A', 1));
    await bind(c.conversation, subject('A'));
    expect(await place('B')).toMatchObject({ conversation: c.conversation });
    await expect(bind(a.conversation, subject('D'))).rejects.toThrow('is an alias of tracker:acme C');
    await bindings.remove({ org: 'default', conversation: c.conversation, by: 'ada' }, subject('B'));
    expect(await place('B')).toMatchObject({ conversation: ownId('B') });
    const again = bindings.remove({ org: 'default', conversation: c.conversation, by: 'ada' }, subject('B'));
    await expect(again).rejects.toMatchObject({ code: 'not_found' });
    const elsewhere = bindings.bind({ org: 'other', conversation: a.conversation, by: 'ada' }, subject('E'));
    await expect(elsewhere).rejects.toMatchObject({ code: 'not_found' });
  });

  const movedTo = (second: number) => event({ ...lifecycle('A', ended(second, { reason: 'transferred' })), movedTo: subject('B') });
  const movedFrom = (second: number) => event(prompt('B', 'opened there', { observation: opened(second), movedFrom: subject('A') }));

  it('IDN-6 GIT-2 a transferred subject ends, and what is said under its new identity goes on in the same conversation', async () => {
    const { conversation } = await place('A');
    expect(await core.admit(movedTo(10))).toMatchObject({ disposition: 'lifecycle', reason: 'transferred' });
    expect(await core.conversation(conversation)).toMatchObject({ state: 'terminal', reason: 'transferred' });
    // The provider counts the revisions of the new identity anew.
    expect(delivered(await core.admit(movedFrom(2)))).toMatchObject({ conversation });
    expect(await core.conversation(conversation)).toMatchObject({ state: 'open' });
    await core.admit(event(lifecycle('A', ended(5))));
    expect(await core.conversation(conversation)).toMatchObject({ state: 'open' });
    expect(await core.count('conversations')).toBe(1);
  });

  it('IDN-6 GIT-2 where the new identity is heard of first, the end of the old one ends nothing', async () => {
    const { conversation } = await place('A');
    expect(delivered(await core.admit(movedFrom(2)))).toMatchObject({ conversation, sequence: 2 });
    expect(await core.admit(movedTo(10))).toMatchObject({ disposition: 'recorded', reason: 'moved' });
    expect(await core.conversation(conversation)).toMatchObject({ state: 'open' });
    expect(await place('B')).toMatchObject({ conversation, sequence: 3 });
  });

  it('IDN-6 both events of a move in one group, in either order, leave one open conversation', async () => {
    for (const pair of [
      [movedTo(10), movedFrom(2)],
      [movedFrom(2), movedTo(10)],
    ]) {
      const { conversation } = await place('A');
      await Promise.all(pair.map((each) => core.admit(each)));
      expect([await core.count('conversations'), (await core.conversation(conversation)).state]).toEqual([1, 'open']);
      await core.change('delete from deliveries');
      await core.change('delete from notes');
      await core.change('delete from queues');
      await core.change('delete from conversations');
      await core.change('delete from subjects');
    }
  });

  it('IDN-6 a move to a subject that is at work already binds nothing, and that is noted', async () => {
    await place('A');
    const { conversation } = await place('B');
    await core.admit(movedTo(10));
    expect(await place('B')).toMatchObject({ conversation });
    expect(await core.rows("select kind from notes where kind like 'alias%'")).toEqual([{ kind: 'alias_refused' }]);
  });

  it('IDN-6 binding against events of the same new subject: they all join, or the binding is refused', async () => {
    const { core: other, close } = await core.another(route());
    for (let round = 0; round < 8; round++) {
      const { conversation } = await place(`A-${round}`);
      const [bound, ...answers] = await Promise.all([
        bind(conversation, subject(`B-${round}`)).then(
          () => true,
          () => false,
        ),
        ...Array.from({ length: 6 }, (_, i) => (i % 2 === 0 ? core : other).admit(comment(`B-${round}`))),
      ]);
      const places = new Set(answers.map((answer) => delivered(answer).conversation));
      expect([...places]).toEqual([bound ? conversation : ownId(`B-${round}`)]);
    }
    await close();
  });
});
