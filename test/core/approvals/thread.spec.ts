import { afterEach, expect, it } from '@jest/globals';
import { inThread } from '../../../src/core/approvals/approval-post.js';
import { ThreadDecisions } from '../../../src/core/approvals/thread-decisions.js';
import type { PostBody } from '../../../src/core/controls/errand.js';
import type { Author } from '../../../src/plugin/index.js';
import { until } from '../../worker/harness.js';
import { route } from '../builders.js';
import { type Core, eachCore } from '../core.js';
import { HOUR, Office } from './desk.js';

const PLACEMENT = { connection: 'chat', parent: 'C1', limits: { title: 100, text: 2000, editMs: 0 } };
const ADA: Author = { id: '1', name: 'ada', isBot: false };
const EVE: Author = { id: '2', name: 'eve', isBot: false };

eachCore('an approval in the thread of its conversation', (open) => {
  let office: Office;
  afterEach(() => office.stop());

  function opened() {
    const core = open(route());
    office = new Office(
      core,
      HOUR,
      inThread(() => PLACEMENT),
    );
    return { core, decisions: new ThreadDecisions(office.desk, () => ({ route: null, ofWorkspace: ['ada'], insiders: null })) };
  }

  const post = async (core: Core): Promise<PostBody> => {
    const rows = await core.rows<{ body: string }>("select body from errands where kind = 'post'");
    expect(rows).toHaveLength(1);
    return JSON.parse(rows[0]?.body ?? '{}') as PostBody;
  };

  it('CTL-4 is one message with buttons, decided there once by whoever may, and says how it stands', async () => {
    const { core, decisions } = opened();
    const [conversation, other] = [await office.conversation('A'), await office.conversation('B')];
    const { id } = await office.ask(conversation);
    const shown = await post(core);
    expect(shown.text).toContain('{"text":"hi"}');
    expect(shown.buttons?.map(({ action }) => action)).toEqual([
      { type: 'decision', approval: id, decision: 'approve' },
      { type: 'decision', approval: id, decision: 'deny' },
    ]);
    const say = async (by: Author, decision: 'approve' | 'deny', change: { conversation?: string; approval?: string } = {}) => {
      const place = { org: 'default', conversation, connection: 'chat', thread: 'T1', approval: id, ...change };
      return (await core.database.transaction((tx) => decisions.decide(tx, { ...place, decision, reason: null, by }))).text;
    };
    expect(await say(EVE, 'approve')).toBe('eve (2) may not decide about this.');
    expect(await say(ADA, 'approve', { conversation: other })).toContain('not known here');
    expect(await say(ADA, 'approve', { approval: 'AAAAAAAAAAAAAAAAAAAAAAAA' })).toContain('has expired');
    expect(await office.state(id)).toBe('pending');
    expect(await say(ADA, 'approve')).toBe('Approved: comment at A');
    expect(await say(ADA, 'deny')).toBe('Already decided by ada at chat: it is approved.');
    expect(await post(core)).toMatchObject({ text: expect.stringContaining('Approved by ada at chat') });
    const audits = await core.rows<{ detail: string }>("select detail from audit where action = 'approval.approve'");
    expect(audits.map(({ detail }) => JSON.parse(detail))).toEqual([{ result: 'done', person: '1' }]);
    office.start();
    await until(async () => (await office.row(id)).told_at !== null);
    const done = await post(core);
    expect(done.text).toContain('Approved by ada at chat, and done');
    expect(done.buttons).toBeUndefined();
  });

  it('CTL-4 what does not fit is said to be missing, and a body cannot end its own fence', async () => {
    const { core } = opened();
    const conversation = await office.conversation();
    await office.ask(conversation, `\`\`\`\n${'x'.repeat(50_000)}`);
    const { text } = await post(core);
    expect(text.length).toBeLessThanOrEqual(PLACEMENT.limits.text);
    expect(text).toContain('more characters are not shown here');
    expect(text).toContain('\n````\n');
  });

  it('CTL-4 a body of nothing but marks of a fence is asked about, too', async () => {
    const { core } = opened();
    await office.ask(await office.conversation(), '`'.repeat(50_000));
    const { text } = await post(core);
    expect(text.length).toBeLessThanOrEqual(PLACEMENT.limits.text);
    expect(text).toContain('more characters are not shown here');
  });
});
