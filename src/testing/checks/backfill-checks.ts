import assert from 'node:assert/strict';
import type { AcceptResult, Backfill, BackfillProgress, Connection, EventSink, Provider, ProviderEvent } from '../../plugin/index.js';
import { assertSame } from '../assert-same.js';
import type { Check } from '../check.js';
import type { SampleSource, Stage } from '../samples.js';
import type { UnderTest } from '../under-test.js';
import { assertTellable, idsOf, STORED, settles, within } from './told-events.js';

const HOUR_MS = 3_600_000;
const LONGEST_PROGRESS = 65_536;

/** A history, and the provider that has it. */
interface Scene {
  readonly connection: Connection;
  readonly provider: Provider;
  readonly stage: Stage;
  /** Three things happen while nobody listens. */
  miss(): Promise<void>;
  read(history: History): Promise<void>;
  /** However long it takes. */
  ask(history: History, signal: AbortSignal): Promise<void>;
}

export function backfillChecks(under: UnderTest, sample: SampleSource): Check[] {
  const check = (name: string, run: (scene: Scene) => Promise<void>): Check => ({
    section: 'backfill',
    name,
    run: async () => {
      const provider = await under.provider();
      const { backfill } = provider;
      assert(backfill, 'there are samples of a history, and the provider has none');
      await under.onStage((connection, stage) => run(sceneOf(under, { backfill, provider, connection, stage, sample })));
    },
  });
  return [
    check('tells what was missed, oldest first, each under the same id however often it is asked', async (scene) => {
      await scene.miss();
      const [first, second] = [new History(), new History()];
      await scene.read(first);
      await scene.read(second);
      assert(first.taken.length >= 3, `three things were missed, and ${first.taken.length} events are told`);
      assertTellable(first.taken, scene.provider, scene.connection);
      assert.equal(new Set(idsOf(first.taken)).size, first.taken.length, `several events have one id: ${idsOf(first.taken).join(', ')}`);
      assertSame(idsOf(second.taken), idsOf(first.taken), 'asked again, it tells something else');
      assertInOrder(first.taken, scene);
    }),
    check('says that it failed where an event was not stored, and misses none when it goes on', async (scene) => {
      await scene.miss();
      const [whole, broken] = [new History(), new History(2)];
      await scene.read(whole);
      await assert.rejects(scene.read(broken), () => true, 'a history of which an event was not stored must reject');
      const rest = new History(Number.POSITIVE_INFINITY, broken.saved);
      await scene.read(rest);
      const told = new Set([...idsOf(broken.taken), ...idsOf(rest.taken)]);
      for (const id of idsOf(whole.taken)) assert(told.has(id), `${id} was not stored, and is not told again`);
    }),
    check('ends when it is told to', async (scene) => {
      await settles(
        scene.ask(new History(), AbortSignal.abort()),
        'the history went on after it was told to end',
        under.samples.patienceMs,
      );
    }),
  ];
}

interface Parts {
  readonly backfill: Backfill;
  readonly provider: Provider;
  readonly connection: Connection;
  readonly stage: Stage;
  readonly sample: SampleSource;
}

function sceneOf(under: UnderTest, { backfill, provider, connection, stage, sample }: Parts): Scene {
  assert.notEqual(backfill.usedBy?.(connection), false, 'the stage’s connection must be one whose history is asked for');
  const mark = new Date((stage.now?.() ?? Date.now()) - HOUR_MS);
  const ask: Scene['ask'] = (history, signal) => backfill.since(connection, mark, history.sink, signal, history.progress);
  return {
    ...{ connection, provider, stage },
    miss: async () => {
      for (const number of [1, 2, 3]) await sample.happen(stage, number);
    },
    read: (history) => within(ask(history, new AbortController().signal), 'the history did not end', under.samples.patienceMs),
    ask,
  };
}

/** What the host keeps of a history; the store breaks after so many events. */
class History {
  readonly taken: ProviderEvent[] = [];
  /** As the host gives them: functions that need nobody. */
  readonly sink: EventSink = { accept: (event) => this.accept(event) };

  constructor(
    private readonly most = Number.POSITIVE_INFINITY,
    private last: string | null = null,
  ) {}

  get saved(): string | null {
    return this.last;
  }

  get progress(): BackfillProgress {
    return { saved: this.last, save: (progress) => this.save(progress) };
  }

  private async accept(event: ProviderEvent): Promise<AcceptResult> {
    if (this.taken.length >= this.most) throw new Error('the store is down');
    this.taken.push(event);
    return STORED;
  }

  private async save(progress: string): Promise<void> {
    assert(progress.length <= LONGEST_PROGRESS, `a progress has at most ${LONGEST_PROGRESS} characters`);
    this.last = progress;
  }
}

/** Of one subject: several may be read one after the other. */
function assertInOrder(events: readonly ProviderEvent[], { provider, connection }: Scene): void {
  const last = new Map<string, number>();
  for (const { deliveryId, eventKey, payload } of events) {
    const { subject, occurredAt } = provider.subjects.parse({ connection, eventKey, payload });
    if (subject === null || occurredAt === undefined) continue;
    const [about, at] = [`${subject.namespace} ${subject.key}`, Date.parse(occurredAt)];
    assert(at >= (last.get(about) ?? at), `${deliveryId} is told after what happened later`);
    last.set(about, at);
  }
}
