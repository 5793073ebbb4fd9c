import { afterEach, expect, it } from '@jest/globals';
import { sealOf } from '../../../src/core/approvals/approval.js';
import { NotWritable } from '../../../src/core/effects/not-writable.js';
import { ConversationPurges } from '../../../src/core/purges/conversation-purges.js';
import { enlist } from '../../../src/core/replicas/replicas.js';
import { OutcomeUnknown, ProviderFault } from '../../../src/plugin/index.js';
import { until } from '../../worker/harness.js';
import { comment, ended, lifecycle, route } from '../builders.js';
import { type Core, eachCore, replica } from '../core.js';
import { KEY, Office } from './desk.js';

eachCore('an approval', (open) => {
  let office: Office;
  const opened = (core: Core = open(route())): Office => {
    office = new Office(core);
    return office;
  };
  afterEach(() => office.stop());

  const isOver = async (id: string) => (await office.row(id)).told_at !== null;

  it('CTL-4 is pending until a person decides, is then done once, and its agent is woken with what came of it', async () => {
    const { core } = opened();
    const conversation = await office.conversation();
    const { id, expires_at, created_at } = await office.ask(conversation);
    expect(id).toMatch(/^[A-Za-z0-9_-]{20,64}$/);
    expect(expires_at - created_at).toBe(3_600_000);
    office.start();
    expect(await office.state(id)).toBe('pending');
    expect(office.written).toEqual([]);
    expect(await office.decide(id)).toMatchObject({ is: 'decided' });
    await until(() => isOver(id));
    expect(await office.state(id)).toBe('executed');
    expect(office.written).toEqual(['hi']);
    expect(await office.told(conversation)).toEqual([
      expect.stringContaining('given by ada, and it is done: {"comment":"c-hi","issue":"A"}'),
    ]);
    expect((await core.queue(conversation)).waking).toBe(1);
    const audits = await core.rows<{ actor: string; action: string }>('select actor, action from audit order by id');
    expect(audits.map(({ actor, action }) => `${actor} ${action}`)).toEqual([
      'throughline approval.ask',
      'ada approval.approve',
      'throughline approval.execute',
    ]);
  });

  it('CTL-4 of two who decide at once one is first, and the other is told who that was', async () => {
    opened();
    const { id } = await office.ask(await office.conversation());
    const both = await Promise.all([office.decide(id, 'approve', 'ada'), office.decide(id, 'deny', 'bob')]);
    expect(both.map(({ is }) => is).toSorted()).toEqual(['already', 'decided']);
    const second = both.find(({ is }) => is === 'already');
    const row = await office.row(id);
    expect(second).toMatchObject({ row: { decided_by: row.decided_by } });
    expect(await office.decide(id, 'approve', 'eve')).toMatchObject({ is: 'already', row: { decided_by: row.decided_by } });
  });

  it.each(['nothing', '../../etc/passwd', `${'x'.repeat(65)}`, 'AAAAAAAAAAAAAAAAAAAAAAAA'])(
    'CTL-4 B68 no other id decides about it: %s',
    async (id) => {
      opened();
      await office.ask(await office.conversation());
      expect(await office.decide(id)).toEqual({ is: 'unknown' });
    },
  );

  it('IDN-7 one of another organisation is not known', async () => {
    opened();
    const { id } = await office.ask(await office.conversation());
    const other = await office.desk.decide({ org: 'acme', approval: id, decision: 'approve', by: 'ada', reason: null });
    expect(other).toEqual({ is: 'unknown' });
    expect(await office.state(id)).toBe('pending');
  });

  it('CTL-4 a denied one writes nothing, and its agent is told', async () => {
    opened();
    const conversation = await office.conversation();
    const { id } = await office.ask(conversation);
    await office.decide(id, 'deny', 'bob');
    office.start();
    await until(() => isOver(id));
    expect(office.written).toEqual([]);
    expect(await office.told(conversation)).toEqual([expect.stringContaining('denied by bob. Nothing was written.')]);
  });

  it('CTL-4 one that nobody decides in time expires by the clock of the database', async () => {
    const { core } = opened();
    const conversation = await office.conversation();
    const { id } = await office.ask(conversation);
    await core.change('update approvals set expires_at = created_at - 1');
    expect(await office.decide(id)).toMatchObject({ is: 'gone' });
    office.start();
    await until(() => isOver(id));
    expect(await office.state(id)).toBe('expired');
    expect(await office.told(conversation)).toEqual([expect.stringContaining('Nobody decided in time')]);
  });

  it.each([
    [
      'its body by one byte',
      'altered',
      (o: Office, id: string) => o.core.change('update approvals set body = ? where id = ?', Buffer.from('{"text":"hj"}'), id),
    ],
    [
      'its body with another hash',
      'altered',
      (o: Office, id: string) =>
        o.core.change('update approvals set body = ?, body_hash = seal where id = ?', Buffer.from('{"text":"hj"}'), id),
    ],
    [
      'where it goes',
      'altered',
      (o: Office, id: string) => o.core.change("update approvals set scope = replace(scope, 'acme', 'evil') where id = ?", id),
    ],
    [
      'until when it holds',
      'altered',
      (o: Office, id: string) => o.core.change('update approvals set expires_at = expires_at + 1 where id = ?', id),
    ],
    [
      'the time, so that it is up',
      'expired',
      async (o: Office, id: string) => {
        const past = await o.row(id).then((row) => ({ ...row, expires_at: row.created_at - 1 }));
        await o.core.change('update approvals set expires_at = ?, seal = ? where id = ?', past.expires_at, sealOf(KEY, past), id);
      },
    ],
    ['what its tool writes to', 'moved', (o: Office) => Object.assign(o, { account: 'elsewhere' })],
    ['the policy', 'policy', (o: Office) => Object.assign(o, { permit: { is: 'refused', why: 'read only' } })],
    ['the configuration', 'unconfigured', (o: Office) => Object.assign(o, { isConfigured: false })],
    ['the route of its conversation', 'moved', (o: Office) => o.core.change("update conversations set route = 'other'")],
  ])('CTL-4 after a person allowed it somebody changes %s: %s, and nothing is sent', async (_, reason, change) => {
    opened();
    const conversation = await office.conversation();
    const { id } = await office.ask(conversation);
    await office.decide(id);
    await change(office, id);
    office.start();
    await until(() => isOver(id));
    expect(await office.state(id)).toBe(`failed (${reason})`);
    expect(office.written).toEqual([]);
    expect(await office.core.count('effects')).toBe(0);
    expect(await office.told(conversation)).toEqual([expect.stringContaining(`it was not done: ${reason}`)]);
  });

  it('CTL-4 TRM-2 the end of its conversation makes it void, and RST-1 so does a reset', async () => {
    const { core } = opened();
    const [a, b] = [await office.conversation('A'), await office.conversation('B')];
    const [first, second] = [await office.ask(a), await office.ask(b)];
    await core.admit({ ...comment('A', ''), parsed: lifecycle('A', ended(1)), eventKey: 'issue.closed' });
    await core.operations.reset('default', b, 'ada');
    expect([await office.state(first.id), await office.state(second.id)]).toEqual(['void (ended)', 'void (reset)']);
    expect(await office.decide(first.id)).toMatchObject({ is: 'gone', row: { state: 'void' } });
    office.start();
    expect(await office.told(a)).toEqual([]);
  });

  it('CTL-4 what was approved before its conversation was reset is not done after it', async () => {
    const { core } = opened();
    const conversation = await office.conversation();
    const { id } = await office.ask(conversation);
    await office.decide(id);
    await core.admit(comment('A', 'later'));
    await core.operations.reset('default', conversation, 'ada');
    office.start();
    await until(() => isOver(id));
    expect(await office.state(id)).toBe('failed (reset)');
    expect(office.written).toEqual([]);
  });

  it('CTL-4 the same call again, and one that is pending for exactly the same, are the same approval', async () => {
    opened();
    const conversation = await office.conversation();
    const first = await office.ask(conversation, 'hi', 'call-1');
    expect((await office.ask(conversation, 'hi', 'call-1')).id).toBe(first.id);
    expect((await office.ask(conversation, 'hi')).id).toBe(first.id);
    expect((await office.ask(conversation, 'ho')).id).not.toBe(first.id);
    await office.decide(first.id);
    office.start();
    await until(() => isOver(first.id));
    expect(await office.ask(conversation, 'hi', 'call-1')).toMatchObject({ id: first.id, state: 'executed' });
    expect(office.written).toEqual(['hi']);
    expect((await office.ask(conversation, 'hi')).id).not.toBe(first.id);
  });

  it('CTL-4 EFF-4 a refusal of the provider fails it, and its agent reads why', async () => {
    opened();
    office.answer = () => Promise.reject(new ProviderFault('no such issue', 'permanent'));
    const conversation = await office.conversation();
    const { id } = await office.ask(conversation);
    await office.decide(id);
    office.start();
    await until(() => isOver(id));
    expect(await office.state(id)).toBe('failed (permanent)');
  });

  it('CTL-4 EFF-5 one whose outcome is lost is neither repeated nor told of until it is known', async () => {
    const { core } = opened();
    office.answer = () => Promise.reject(new OutcomeUnknown('timeout'));
    const conversation = await office.conversation();
    const { id } = await office.ask(conversation);
    await office.decide(id);
    office.start();
    const unknown = async () => (await core.rows<{ id: string }>("select id from effects where state = 'outcome_unknown'"))[0]?.id;
    await until(async () => (await unknown()) !== undefined);
    expect(await office.state(id)).toBe('approved');
    const effect = await unknown();
    await core.change(
      "update effects set state = 'reconciled_absent', next_read_at = null, resolved_at = 1, resolved_by = 'ada', resolved_why = 'so' where id = ?",
      effect ?? '',
    );
    core.signals.emit('approvals', [conversation]);
    await until(() => isOver(id));
    expect(await office.state(id)).toBe('failed (absent)');
    expect(office.written).toEqual(['hi']);
  });

  it('CTL-4 REC-3 a crash before the write was begun, or before its answer was written down, does it exactly once', async () => {
    const { core } = opened();
    const conversation = await office.conversation();
    const { id } = await office.ask(conversation);
    await office.decide(id);
    // Killed after the effect's id was written down, and before the effect was.
    office.start({ perform: () => Promise.reject(new NotWritable('killed')) });
    await until(async () => (await office.row(id)).effect !== null);
    await office.stop();
    expect(office.written).toEqual([]);
    office.start();
    await until(() => isOver(id));
    expect(office.written).toEqual(['hi']);
    // Killed after the provider answered, and before the approval said so; then once more before its agent was told.
    await core.change("update approvals set state = 'approved', ended_at = null, told_at = null, result = null where id = ?", id);
    core.signals.emit('approvals', [conversation]);
    await until(() => isOver(id));
    await core.change('update approvals set told_at = null where id = ?', id);
    core.signals.emit('approvals', [conversation]);
    await until(() => isOver(id));
    expect(office.written).toEqual(['hi']);
    expect(await office.told(conversation)).toHaveLength(1);
  });

  it('CTL-4 REC-1 what a dead replica had only prepared is done by another one', async () => {
    const { core } = opened();
    const dead = await core.database.transaction((tx) => enlist(tx, replica('dead', { pid: 9 }), 600_000));
    const conversation = await office.conversation();
    const { id } = await office.ask(conversation);
    await office.decide(id);
    await core.change('update approvals set owner = ?, effect = ? where id = ?', dead, '00000000-0000-4000-8000-000000000009', id);
    office.start();
    core.signals.emit('approvals', [conversation]);
    expect(office.written).toEqual([]);
    await core.change('delete from replicas where id = ?', dead);
    core.signals.emit('approvals', [conversation]);
    await until(() => isOver(id));
    expect(office.written).toEqual(['hi']);
  });

  it('ADM-6 a purge takes its words and keeps its hash, and is refused while something approved is not done', async () => {
    const { core } = opened();
    const conversation = await office.conversation();
    const { id } = await office.ask(conversation, 'a secret plan');
    await office.decide(id);
    const purges = new ConversationPurges(core.database, async () => undefined);
    const purge = () => purges.purge({ org: 'default', conversation, by: 'ada' });
    await expect(purge()).rejects.toThrow('approved');
    office.start();
    await until(() => isOver(id));
    await core.finish(await core.claimOne());
    await purge();
    const row = await office.row(id);
    expect(JSON.stringify({ ...row, body: row.body.toString('utf8') })).not.toContain('secret');
    expect(row.body_hash).toHaveLength(32);
  });
});
