import { afterEach, expect, it } from '@jest/globals';
import { event, prompt, revision, subject } from '../builders.js';
import { type Core, eachCore } from '../core.js';
import { Automated, trigger } from './automated.js';

const ADA = { id: '42', name: 'ada', isBot: false };

eachCore('messages of automations that are edited or withdrawn', (open) => {
  const opened: Automated[] = [];
  afterEach(() => {
    for (const each of opened.splice(0)) each.stop();
  });
  async function automated(core: Core = open()): Promise<Automated> {
    const made = await Automated.over(core);
    opened.push(made);
    return made;
  }

  const payload = (body: string) => ({ comment: { body, user: { login: 'ada' } }, thread: 'S-1' });
  const said = (body: string) => event(prompt('T-1', body, { messageKey: 'm-1' }), { payload: payload(body) });
  const edited = (text: string) =>
    event(
      { kind: 'edit', subject: subject('T-1'), author: ADA, messageKey: 'm-1', text, revision: revision(5) },
      { payload: payload(text), eventKey: 'comment.edited' },
    );
  const withdrawn = () =>
    event({ kind: 'withdrawal', subject: subject('T-1'), author: ADA, messageKey: 'm-1' }, { eventKey: 'comment.deleted' });
  const texts = async (a: Automated) =>
    (await a.core.rows<{ text: string | null }>('select text from deliveries order by conversation, sequence')).map(({ text }) => text);

  it.each([{}, { subject_key_expr: 'thread' }])(
    'ACC-8 what waits for its run is told as it reads by then, with all that stands around it: %j',
    async (change) => {
      const a = await automated();
      await a.make({ triggers: [trigger({ on: ['comment.created'], ...change })] });
      await a.core.admit(said('first words'));
      expect(await a.core.admit(edited('better words'))).toMatchObject({ disposition: 'recorded', reason: 'edited' });
      expect(await texts(a)).toEqual(['@ada sent a new tracker message (comment.edited):\n\nbetter words']);
    },
  );

  it('ACC-8 an edit that comes before its message is what the message says', async () => {
    const a = await automated();
    await a.make({ triggers: [trigger({ on: ['comment.created'], turn_text_expr: "join(': ', ['said', comment.body])" })] });
    await a.core.admit(edited('better words'));
    expect((await a.core.admit(said('first words'))).runs_created).toHaveLength(1);
    expect(await texts(a)).toEqual(['said: better words']);
  });

  it('ACC-8 what was withdrawn before anybody read it is told to nobody; its run has nothing to begin with', async () => {
    const a = await automated();
    await a.make({ triggers: [trigger({ on: ['comment.created'] })] });
    const { runs_created: made } = await a.core.admit(said('first words'));
    expect(await a.core.admit(withdrawn())).toMatchObject({ disposition: 'recorded', reason: 'withdrawn' });
    await a.open(made[0] ?? '');
    expect(await a.core.claim()).toEqual([]);
  });

  it('AUT-2 a trigger for edits takes one as a message of its own', async () => {
    const a = await automated();
    await a.make({ triggers: [trigger({ on: ['comment.edited'] })] });
    expect((await a.core.admit(edited('better words'))).runs_created).toHaveLength(1);
    expect(await texts(a)).toEqual(['@ada sent a new tracker message (comment.edited):\n\nbetter words']);
  });
});
