import { beforeEach, expect, it } from '@jest/globals';
import { ConversationPurges } from '../../../src/core/purges/conversation-purges.js';
import { appendTranscript } from '../../../src/core/turns/turns.js';
import { comment, event, prompt, route } from '../builders.js';
import { type Core, delivered, eachCore, SAID } from '../core.js';

const SECRET = 'xyzzy-secret';

eachCore('the purge of a conversation', (open) => {
  let core: Core;
  let removed: string[];
  let purges: ConversationPurges;

  beforeEach(() => {
    core = open(route(), route({ name: 'closed', authors: { allowSelf: false, allowBots: false, allow: ['nobody'] } }));
    removed = [];
    purges = new ConversationPurges(core.database, async ({ folder }) => {
      removed.push(folder);
    });
  });

  const purge = (conversation: string) => purges.purge({ org: 'default', conversation, by: 'ada' });

  /** A conversation in which every kind of row holds the words. */
  async function wordy(key = 'T-1'): Promise<string> {
    const author = { id: '42', name: SECRET, isBot: false };
    const about = { author, title: SECRET, url: `https://x.test/${SECRET}`, messageKey: 'm-1' };
    const { conversation } = delivered(await core.admit(comment(key, SECRET, about)));
    await core.admit(
      event({ kind: 'edit', subject: prompt(key, '').subject, messageKey: 'm-1', text: `edited ${SECRET}`, revision: null, author }),
    );
    await core.admit(comment(key, SECRET, about));
    const claim = await core.claimOne();
    const line = { number: 0, at: 1, kind: 'text', body: JSON.stringify({ text: SECRET }) };
    await core.database.transaction((tx) => appendTranscript(tx, claim, [line]));
    await core.change('update conversations set session = ? where id = ?', SECRET, conversation);
    const turn = { ...SAID, state: 'done', result: SECRET, detail: SECRET, session: SECRET } as const;
    await core.endAll([{ claim, how: 'completed', outcome: 'done', reason: SECRET, turn }]);
    await core.admissions.send({ org: 'default', conversation, text: SECRET, wake: true, by: 'ada', key: 'k' });
    await core.finish(await core.claimOne());
    await core.change(
      `insert into idempotency_keys (org, actor, key, request, status, response, created_at) values ('default', 'api', 'k', ?, 200, ?, 1)`,
      Buffer.from('x'),
      JSON.stringify({ id: conversation, title: SECRET }),
    );
    return conversation;
  }

  async function tables(): Promise<string[]> {
    const sql =
      core.database.dialect.name === 'sqlite'
        ? "select name from sqlite_master where type = 'table' and name not like 'sqlite%'"
        : "select tablename as name from pg_tables where schemaname = 'public'";
    return (await core.rows<{ name: string }>(sql)).map(({ name }) => name);
  }

  /** The tables in whose rows the words still stand. */
  async function wordsLeft(): Promise<string[]> {
    const left: string[] = [];
    for (const table of await tables()) {
      const rows = await core.rows<Record<string, unknown>>(`select * from ${table}`);
      const shown = rows.map((row) =>
        Object.values(row).map((value) => (Buffer.isBuffer(value) ? value.toString('latin1') : String(value))),
      );
      if (shown.some((values) => values.some((value) => value.includes(SECRET)))) left.push(table);
    }
    return left;
  }

  it('ADM-6 takes the words out of every row, and keeps ids, hashes, decisions and what was done', async () => {
    const conversation = await wordy();
    expect((await wordsLeft()).sort()).toEqual([
      'conversations',
      'decisions',
      'deliveries',
      'idempotency_keys',
      'receipts',
      'transcripts',
      'turns',
    ]);
    const kept = () =>
      Promise.all([
        core.rows('select id, identity, content_hash, delivery_id from receipts order by id'),
        core.rows('select receipt, number, disposition, reason, matched from decisions order by receipt'),
        core.rows('select sequence, state, outcome, receipt, message_key from deliveries order by sequence'),
      ]);
    const before = await kept();
    await purge(conversation);
    expect(await wordsLeft()).toEqual([]);
    expect(await kept()).toEqual(before);
    expect([removed, await core.count('purges'), await core.count('transcripts')]).toEqual([[conversation], 0, 0]);
    expect(await core.rows("select noted_by from notes where kind = 'purge'")).toEqual([{ noted_by: 'ada' }]);
  });

  it('ADM-6 what was purged is not decided about again, and the conversation goes on in a folder of its own', async () => {
    const conversation = await wordy();
    const [receipt] = await core.rows<{ id: number }>('select id from receipts order by id');
    await purge(conversation);
    const replay = { org: 'default', receipt: Number(receipt?.id), by: 'ada', routes: null, force: true };
    await expect(core.admissions.replay(replay)).rejects.toMatchObject({ code: 'payload_unavailable' });
    expect(delivered(await core.admit(comment('T-1', 'anew')))).toMatchObject({ conversation });
    const [{ folder } = { folder: '' }] = await core.rows<{ folder: string }>('select folder from conversations');
    expect(folder.startsWith(`${conversation}.`)).toBe(true);
    await core.finish(await core.claimOne());
    await purge(conversation);
    expect(removed).toEqual([conversation, folder]);
  });

  it('ADM-6 is refused while a turn is live or deliveries wait, and says what to do', async () => {
    const { conversation } = delivered(await core.admit(comment('T-1')));
    await expect(purge(conversation)).rejects.toThrow('1 deliveries of this conversation wait; terminate it');
    const claim = await core.claimOne();
    await expect(purge(conversation)).rejects.toThrow('a turn is running in this conversation');
    await core.finish(claim);
    await purge(conversation);
    await expect(purges.purge({ org: 'other', conversation, by: 'ada' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('ADM-6 events that another conversation was given too are purged with it, unless it still needs them', async () => {
    const two = open(route(), route({ name: 'own', scope: 'automation' }));
    const answer = await two.admit(comment('T-1', SECRET));
    const [shared = '', own = ''] = answer.deliveries.map(({ conversation }) => conversation);
    const claims = await two.claim();
    await two.finish(claims.find(({ conversation }) => conversation === shared) as (typeof claims)[number]);
    await expect(purge(shared)).rejects.toThrow(`conversation ${own} was given some of the same events`);
    await two.finish(claims.find(({ conversation }) => conversation === own) as (typeof claims)[number]);
    await purge(shared);
    expect(await wordsLeft()).toEqual([]);
  });

  it('ADM-6 a purge that was cut off is gone on with', async () => {
    const conversation = await wordy();
    const failing = new ConversationPurges(core.database, () => Promise.reject(new Error('the disk is away')));
    await expect(failing.purge({ org: 'default', conversation, by: 'ada' })).rejects.toThrow('the disk is away');
    expect(await core.count('purges')).toBe(1);
    expect(await purges.resume(new AbortController().signal, () => undefined)).toBe(1);
    expect([await wordsLeft(), removed, await core.count('purges')]).toEqual([[], [conversation], 0]);
  });

  it('ADM-6 purge against new events and claims: either it is refused, or nothing that came later is touched', async () => {
    const { core: other, close } = await core.another(route());
    for (let round = 0; round < 6; round++) {
      const { conversation } = delivered(await core.admit(comment(`R-${round}`, 'old words')));
      await core.finish(await core.claimOne());
      const [isPurged] = await Promise.all([
        purge(conversation).then(
          () => true,
          () => false,
        ),
        other.admit(comment(`R-${round}`, 'new words')).then(() => other.claim()),
      ]);
      const texts = await core.rows<{ parsed: string }>(
        'select r.parsed from deliveries d join receipts r on r.id = d.receipt where d.conversation = ? order by d.sequence',
        conversation,
      );
      expect(texts.map(({ parsed }) => parsed.includes('words'))).toEqual([!isPurged, true]);
      await core.operations.stop('default', conversation, 'ada');
    }
    await close();
  });
});
