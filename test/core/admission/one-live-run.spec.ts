import { afterEach, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { AdmissionAnswer } from '../../../src/core/admission/event.js';
import { comment, event, prompt } from '../builders.js';
import { type Core, eachCore } from '../core.js';
import { brokenRules } from '../invariants.js';
import { Automated, type RunRow, trigger } from './automated.js';

const LIVE = ['queued', 'starting', 'running'];

eachCore('one live run of a subject', (open) => {
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  /** Two processes on one store. */
  async function replicas(): Promise<[Automated, Automated]> {
    const shared = open();
    const { core, close } = await shared.another();
    const both = [await Automated.over(shared), await Automated.over(core)] as const;
    closing.push(async () => {
      for (const each of both) each.stop();
      await close();
    });
    return [both[0], both[1]];
  }

  function liveOf(runs: readonly RunRow[]): string[] {
    return runs
      .filter(({ state }) => LIVE.includes(state))
      .map(({ automation, subject, conversation }) => `${automation} ${subject ?? conversation}`);
  }

  it('AUT-5 two automations, 50 concurrent events of each of 10 subjects, two replicas: one live run a subject, no event lost', async () => {
    const [first, second] = await replicas();
    const automations = [
      await first.make(),
      await first.make({ triggers: [trigger({ destination: 'continue_conversation' })], keep_alive: true }),
    ];
    await Promise.all([first.heard(), second.heard()]);
    const events = Array.from({ length: 500 }, (_, i) => comment(`T-${i % 10}`, `message ${i}`));
    const answers = await Promise.all(events.map((event, i) => (i % 2 === 0 ? first : second).core.admit(event)));
    expect(
      answers.every(
        ({ deliveries, runs_created: made, conversations_continued: on }) => deliveries.length === 2 && made.length + on.length === 2,
      ),
    ).toBe(true);
    const runs = await first.runs();
    expect(runs).toHaveLength(20);
    expect(new Set(liveOf(runs)).size).toBe(20);
    expect(answers.flatMap(({ runs_created }) => runs_created).sort()).toEqual(runs.map(({ id }) => id).sort());
    const counts = await first.core.rows<{ route: string; count: number; last: number }>(
      'select route, count(*) as count, max(sequence) as last from deliveries group by conversation, route',
    );
    expect(counts.every(({ count, last }) => count === 50 && last === 50)).toBe(true);
    expect(counts.map(({ route }) => route).sort()).toEqual(automations.flatMap((id) => Array<string>(10).fill(`automation:${id}`)).sort());
    expect(await first.core.claim()).toEqual([]);
  });

  it('AUT-5 20 events during a start wait, and are claimed in their order when the run opens', async () => {
    const [first, second] = await replicas();
    await first.make();
    await second.heard();
    const opening = await first.core.admit(comment('T-1', 'the first'));
    for (let i = 0; i < 20; i++) await (i % 2 === 0 ? first : second).core.admit(comment('T-1', `follow-up ${i}`));
    expect(await first.core.claim()).toEqual([]);
    const [run, ...others] = await first.runs();
    expect(others).toEqual([]);
    await first.open(run?.id ?? '');
    const claim = await first.core.claimOne();
    expect([claim.conversation, claim.from]).toEqual([opening.deliveries[0]?.conversation, 1]);
    expect(claim.entries.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
    await first.core.finish(claim);
    const next = await first.core.claimOne();
    expect(next.entries.map(({ sequence }) => sequence)).toEqual([21]);
    await first.core.finish(next);
  });

  it('AUT-5 two triggers that find the same key in two ways meet in one conversation, whoever comes first', async () => {
    const [first, second] = await replicas();
    await first.make({ triggers: [trigger({ on: ['comment.created'] }), trigger({ on: ['note'], subject_key_expr: 'key' })] });
    await Promise.all([first.heard(), second.heard()]);
    const keys = Array.from({ length: 40 }, (_, i) => `T-${i}`);
    const answers: AdmissionAnswer[] = [];
    // In groups of one, of which none is taken apart and tried anew.
    for (const key of keys) {
      const noted = event(prompt('other', 'noted'), { eventKey: 'note', payload: { key } });
      answers.push(...(await Promise.all([first.core.admit(comment(key)), second.core.admit(noted)])));
    }
    expect(answers.filter(({ disposition }) => disposition !== 'routed')).toEqual([]);
    expect(liveOf(await first.runs())).toHaveLength(40);
    expect(await first.core.count('conversations')).toBe(40);
  });

  it.each(['reset', 'terminate'] as const)('AUT-5 what comes after a %s during a start waits for the run as well', async (how) => {
    const [first] = await replicas();
    await first.make();
    const answer = await first.core.admit(comment('T-1', 'the first'));
    const conversation = answer.deliveries[0]?.conversation ?? '';
    if (how === 'reset') await first.core.operations.reset('default', conversation, 'ada');
    else {
      await first.core.operations.terminate('default', conversation, 'over', 'ada');
      await first.core.operations.reopen('default', conversation, 'ada');
    }
    expect((await first.core.admit(comment('T-1', 'the next'))).conversations_continued).toEqual([conversation]);
    expect(await first.core.claim()).toEqual([]);
    await first.open(answer.runs_created[0] ?? '');
    expect((await first.core.claimOne()).conversation).toBe(conversation);
  });

  /** What may happen; those of one step happen at the same time. */
  type Step =
    | { readonly does: 'event'; readonly subject: number; readonly replica: number }
    | { readonly does: 'dispatch'; readonly replica: number }
    | { readonly does: 'open' | 'end' | 'fail' | 'cancel' | 'rekey' | 'off' | 'on' | 'hear' };

  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 8, arbitrary: fc.record({ does: fc.constant('event' as const), subject: fc.nat(2), replica: fc.nat(1) }) },
    { weight: 1, arbitrary: fc.record({ does: fc.constant('dispatch' as const), replica: fc.nat(1) }) },
    {
      weight: 4,
      arbitrary: fc.record({
        does: fc.constantFrom(...(['open', 'end', 'fail', 'cancel', 'rekey', 'off', 'on', 'hear'] as const)),
      }),
    },
  );

  class History {
    readonly answers: AdmissionAnswer[] = [];
    private generation = 1;

    constructor(
      private readonly both: readonly [Automated, Automated],
      private readonly id: string,
      private readonly written: Readonly<Record<string, unknown>>,
    ) {}

    private get core(): Core {
      return this.both[0].core;
    }

    async take(each: Step): Promise<void> {
      switch (each.does) {
        case 'event':
          this.answers.push(await this.both[each.replica === 0 ? 0 : 1].core.admit(comment(`S-${each.subject}`)));
          return;
        case 'dispatch':
          await this.both[each.replica === 0 ? 0 : 1].dispatch(this.id);
          return;
        case 'open':
          for (const { id, state } of await this.both[0].runs()) if (state === 'queued') await this.both[0].open(id);
          return;
        case 'end':
          for (const { id, state } of await this.both[0].runs()) if (state === 'running') await this.both[0].end(id);
          return;
        case 'fail':
        case 'cancel':
          for (const { id, state } of await this.both[1].runs()) if (LIVE.includes(state)) await this.both[1].end(id, each.does);
          return;
        case 'rekey':
          this.generation += 1;
          return this.both[0].change(this.id, this.written, this.generation).catch(() => undefined);
        case 'off':
          return this.both[0].switchOffElsewhere(this.id);
        case 'on':
          await this.core.change(
            "update automations set state = 'enabled', disabled_reason = null, updated_at = updated_at + 1 where id = ?",
            this.id,
          );
          return;
        case 'hear':
          await Promise.all(this.both.map((each) => each.heard()));
      }
    }

    async check(): Promise<void> {
      const runs = await this.both[0].runs();
      const live = liveOf(runs);
      expect(new Set(live).size).toBe(live.length);
      if (this.written.concurrency === 'skip') expect(live.length).toBeLessThanOrEqual(1);
      for (const { disposition, reason, deliveries, runs_created: made, conversations_continued: on } of this.answers)
        if (disposition === 'routed') expect([deliveries.length, made.length + on.length]).toEqual([1, 1]);
        else
          expect([disposition, reason]).toEqual([disposition, expect.stringMatching(/^(automation_disabled|run_in_progress|no_route)$/)]);
      const waiting = await this.core.rows<{ conversation: string }>("select conversation from queues where parked = 'starting'");
      const queued = new Set(runs.filter(({ state }) => state === 'queued').map(({ conversation }) => conversation));
      expect(waiting.filter(({ conversation }) => !queued.has(conversation))).toEqual([]);
      expect(await brokenRules(this.core.database)).toEqual([]);
    }
  }

  it('AUT-5 whatever happens at the same time: one live run a subject, and every event delivered, started with, or refused with a reason', async () => {
    const [first, second] = await replicas();
    const property = fc.asyncProperty(
      fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 8 }),
      fc.constantFrom('allow', 'skip', 'queue'),
      fc.boolean(),
      async (steps, concurrency, continues) => {
        const triggers = [trigger(continues ? { destination: 'continue_conversation' } : {})];
        const written = { triggers, concurrency, ...(continues && { keep_alive: true }) };
        const id = await first.make(written);
        await Promise.all([first.heard(), second.heard()]);
        const history = new History([first, second], id, written);
        for (const together of steps) {
          await Promise.all(together.map((each) => history.take(each)));
          await history.check();
        }
        for (const table of [
          'run_logs',
          'runs',
          'audit',
          'automation_versions',
          'automations',
          'notes',
          'deliveries',
          'queues',
          'conversations',
          'subjects',
        ])
          await first.core.change(`delete from ${table}`);
      },
    );
    await fc.assert(property, { numRuns: 25 });
  });
});
