import { beforeEach, expect, it } from '@jest/globals';
import { insertAudit } from '../../../src/core/audit/audits.js';
import { beginJobs, conversationsWithJobs, dueJobs, finishJob } from '../../../src/core/jobs/jobs.js';
import { type PrunedKind, pruneExpired, type RetentionPolicy } from '../../../src/core/maintenance/retention.js';
import { resumeCleanup } from '../../../src/core/recovery/resume-cleanup.js';
import { appendTranscript } from '../../../src/core/turns/turns.js';
import type { Tx } from '../../../src/database/tx.js';
import { closing, comment, event, prompt, route } from '../builders.js';
import { type Core, delivered, eachCore } from '../core.js';

const KINDS = ['retire_runtime', 'remove_files'];
const DAY = 86_400_000;
const POLICY: RetentionPolicy = {
  payloadsMs: 14 * DAY,
  receiptsMs: 90 * DAY,
  transcriptsMs: 90 * DAY,
  effectsMs: 7 * DAY,
  auditMs: 365 * DAY,
};

eachCore('retention', (open) => {
  let core: Core;

  beforeEach(() => {
    core = open(route());
  });

  async function prune(on = core, policy = POLICY): Promise<Partial<Record<PrunedKind, number>>> {
    await core.change('update sweeps set next_at = 0');
    const run = { signal: new AbortController().signal, onPruned: () => undefined, pause: async () => undefined };
    return Object.fromEntries(await pruneExpired(on.database, policy, run));
  }

  /** All that there is becomes so much older. */
  async function age(days: number): Promise<void> {
    const by = days * DAY;
    await core.change('update receipts set received_at = received_at - ?', by);
    await core.change('update deliveries set completed_at = completed_at - ? where completed_at is not null', by);
    await core.change('update turns set ended_at = ended_at - ? where ended_at is not null', by);
    await core.change('update transcripts set said_at = said_at - ?', by);
    await core.change('update jobs set ended_at = ended_at - ? where ended_at is not null', by);
    await core.change('update notes set noted_at = noted_at - ?', by);
    await core.change('update audit set at = at - ?', by);
    await core.change('update idempotency_keys set created_at = created_at - ?', by);
  }

  async function finishJobs(count: number): Promise<void> {
    const claim = await core.claim();
    for (const each of claim) await core.finish(each);
    for (let done = 0; done < count; ) done += await core.database.transaction(oneJob);
  }

  async function oneJob(tx: Tx): Promise<number> {
    const conversations = await conversationsWithJobs(tx, KINDS, 10);
    const [due] = (await dueJobs(tx, conversations, KINDS)).standing;
    if (!due) throw new Error('no job is due');
    await beginJobs(tx, [due], core.owner);
    return Number(await finishJob(tx, due, core.owner, 'done'));
  }

  async function finished(key: string): Promise<string> {
    const { conversation } = delivered(await core.admit(comment(key)));
    const claim = await core.claimOne();
    const line = { number: 0, at: Date.now(), kind: 'text', body: '{"text":"hm"}' };
    await core.database.transaction((tx) => appendTranscript(tx, claim, [line]));
    await core.finish(claim);
    return conversation;
  }

  it('ADM-6 payloads go first, and what the parser made of them still replays', async () => {
    await finished('T-1');
    await age(15);
    await finished('T-2');
    expect(await prune()).toEqual({ payloads: 1 });
    const rows = await core.rows<{ id: number; payload: unknown }>('select id, payload from receipts order by id');
    expect(rows.map(({ payload }) => payload === null)).toEqual([true, false]);
    const replay = { org: 'default', receipt: Number(rows[0]?.id), by: 'ada', routes: null };
    expect(await core.admissions.replay({ ...replay, force: true })).toMatchObject({ disposition: 'routed' });
    const reading = open(route({ filter: 'number' }));
    await expect(reading.admissions.replay({ ...replay, force: true })).rejects.toMatchObject({ code: 'payload_unavailable' });
  });

  it('ADM-6 nothing of an unfinished delivery is pruned, and once it is finished it is', async () => {
    await finished('T-1');
    const { conversation } = delivered(await core.admit(comment('T-2')));
    await age(400);
    expect(await prune()).toEqual({ payloads: 1, receipts: 1, turns: 1 });
    expect(await core.rows('select payload is null as gone from receipts')).toHaveLength(1);
    await core.finish(await core.claimOne());
    expect(await prune()).toEqual({ kept_payloads: 1 });
    await age(91);
    expect(await prune()).toEqual({ receipts: 1, turns: 1 });
    expect([await core.count('receipts'), await core.count('deliveries'), await core.count('decisions')]).toEqual([0, 0, 0]);
    expect(await core.queue(conversation)).toMatchObject({ open: 0, next_sequence: 2 });
    expect(delivered(await core.admit(comment('T-2')))).toMatchObject({ conversation, sequence: 2 });
  });

  it('ADM-6 receipts are what duplicates are known by: both are forgotten together', async () => {
    const first = comment('T-1');
    await core.admit(first);
    await core.finish(await core.claimOne());
    await age(89);
    await prune();
    expect(await core.admit(first)).toMatchObject({ duplicate: true });
    await age(2);
    await prune();
    expect(await core.admit(first)).toMatchObject({ duplicate: false });
  });

  it('ADM-6 transcripts go with their turns, the audit log, notes and keys by their own age; conversations stay', async () => {
    await finished('T-1');
    await core.database.transaction((tx) =>
      insertAudit(tx, { org: 'default', actor: 'ada', action: 'conversation.stop', target: 'x', detail: '{}' }),
    );
    await core.change(
      "insert into idempotency_keys (org, actor, key, request, status, response, created_at) values ('default', 'api', 'k', ?, 200, '{}', ?)",
      Buffer.from('x'),
      Date.now(),
    );
    await age(100);
    expect(await prune()).toEqual({ payloads: 1, receipts: 1, turns: 1, idempotency_keys: 1 });
    expect([await core.count('transcripts'), await core.count('audit'), await core.count('conversations')]).toEqual([0, 1, 1]);
    await age(300);
    expect(await prune()).toEqual({ audit: 1 });
  });

  it('ADM-6 what was cleared away behind an end is forgotten with its time, and what is still to be cleared away stays', async () => {
    const conversation = await finished('T-1');
    await core.admit(closing('T-1', 1));
    await finishJobs(1);
    await age(91);
    expect(await prune()).toMatchObject({ jobs: 1 });
    expect(await core.rows('select kind, state from jobs')).toEqual([{ kind: 'remove_files', state: 'waiting' }]);
    await finishJobs(1);
    expect(await prune()).toEqual({});
    await age(91);
    expect(await prune()).toMatchObject({ jobs: 1 });
    expect(await core.count('jobs')).toBe(0);
    expect(await resumeCleanup(core.database)).toMatchObject({ adopted: 0 });
    expect([await core.count('jobs'), await core.conversation(conversation)]).toMatchObject([0, { state: 'terminal' }]);
  });

  it('ADM-6 a backlog of many batches goes in one run, oldest first, and a stalled one does not hold up the rest', async () => {
    const stuck = delivered(await core.admit(comment('stuck'))).conversation;
    await Promise.all(Array.from({ length: 1300 }, (_, i) => core.admit(event(prompt(`T-${i % 40}`, 'x', { continueOnly: true })))));
    await age(91);
    expect(await prune()).toEqual({ payloads: 1300, receipts: 1300, notes: 0 || undefined });
    expect(await core.rows('select conversation from deliveries')).toEqual([{ conversation: stuck }]);
  });

  it('ADM-6 two replicas prune beside each other, and beside replays and claims, and no row goes twice', async () => {
    const { core: other, close } = await core.another(route());
    const answers = await Promise.all(Array.from({ length: 60 }, (_, i) => core.admit(comment(`T-${i}`))));
    for (const claim of await core.claim()) await core.finish(claim);
    await age(91);
    await prune(core, { ...POLICY, receiptsMs: 365 * DAY, payloadsMs: 365 * DAY });
    await core.change('update sweeps set next_at = 0');
    const run = { signal: new AbortController().signal, onPruned: () => undefined, pause: async () => undefined };
    const replays = answers.map(({ receipt }) =>
      core.admissions.replay({ org: 'default', receipt: Number(receipt), by: 'ada', routes: null, force: false }).then(
        ({ reason }) => reason,
        ({ code }: { code: string }) => code,
      ),
    );
    const [mine, theirs, told] = await Promise.all([
      pruneExpired(core.database, POLICY, run),
      pruneExpired(other.database, POLICY, run),
      Promise.all(replays),
    ]);
    expect((mine.get('receipts') ?? 0) + (theirs.get('receipts') ?? 0)).toBe(60);
    expect(told.filter((each) => each !== 'same_conversation' && each !== 'not_found')).toEqual([]);
    expect([await core.count('receipts'), await core.count('decisions')]).toEqual([0, 0]);
    await close();
  });
});
