import { decideAdmission } from '../../src/core/admission/decide-admission.js';
import { follow } from '../../src/core/admission/follow-subject.js';
import { type Locked, unchanged } from '../../src/core/admission/locked.js';
import type { Admission } from '../../src/core/admission/plan-admission.js';
import { planAdmission } from '../../src/core/admission/plan-admission.js';
import { World } from '../../src/core/admission/world.js';
import { isEndingOf, type Lifetime, STRENGTH } from '../../src/core/conversations/conversation.js';
import { fence } from '../../src/core/deliveries/queue.js';
import { CLEANUP, isDueFor, job } from '../../src/core/jobs/job.js';
import { matchRoutes } from '../../src/core/routing/match-route.js';
import { Aliases } from '../../src/core/subjects/aliases.js';
import { subjectText } from '../../src/core/subjects/subjects.js';
import type { ReadState } from '../../src/plugin/index.js';
import { event, lifecycle, prompt, route, subject } from '../core/builders.js';

export interface Kept {
  readonly sequence: number;
  readonly receipt: number;
  kind: 'prompt' | 'lifecycle';
  outcome: string | null;
}

interface KeptJob {
  readonly ending: number;
  readonly step: number;
  state: ReturnType<typeof job.next>;
}

interface Work {
  readonly entry: Kept;
  readonly token: number;
  readonly ending: number;
}

const KEY = subjectText({ ...subject('T-1'), org: 'default' });
const ROUTE = route();

/** One conversation with all that happens to its life, by the pure parts of the core and without a database. */
export class SimulatedLife {
  conversation: Locked | null = null;
  readonly deliveries: Kept[] = [];
  readonly jobs: KeptJob[] = [];
  ending = 0;
  endingSequence: number | null = null;
  work: Work | null = null;
  /** A job was begun although its end was over. */
  hasBegunForNothing = false;
  /** Ends that their provider was told of, by number. */
  readonly told: number[] = [];
  private subjects = new Map<string, Lifetime>();
  private receipts = 0;

  constructor(private readonly canBeRead: boolean) {}

  get state(): 'open' | 'terminal' {
    return this.conversation?.row.state ?? this.subjects.get(KEY)?.state ?? 'open';
  }

  get open(): Kept[] {
    return this.deliveries.filter(({ outcome }) => outcome === null);
  }

  /** An event of the provider: a change, or a comment that a state comes along with. */
  admit(seen: ReadState & { readonly transition: boolean }): void {
    const isEnd = seen.transition && seen.state === 'terminal';
    const admitted = event(isEnd ? lifecycle('T-1', seen) : prompt('T-1', 'said', { observation: seen }));
    const admission: Admission = { ...planAdmission(admitted, matchRoutes([ROUTE], admitted)), canBeRead: this.canBeRead };
    this.commit((world) => decideAdmission(world, admission, ++this.receipts, 'foreign'));
  }

  operate(state: 'open' | 'terminal'): void {
    const { conversation } = this;
    if (!conversation || conversation.row.state === state) return;
    conversation.row = { ...conversation.row, state, strength: STRENGTH.operator };
    if (state === 'open') return;
    this.retire(conversation.queue.nextSequence - 1, null);
    fence(conversation.queue);
    this.end(null);
  }

  /** A worker takes the head, unless what an end left behind is being cleared away under it. */
  claim(): boolean {
    const [entry] = this.open;
    const queue = this.conversation?.queue;
    if (this.work !== null || !entry || !queue) return false;
    if (entry.kind === 'prompt' && this.jobs.some(({ state }) => state === 'running')) return false;
    queue.owner = 1;
    queue.token += 1;
    this.work = { entry, token: queue.token, ending: this.ending };
    return true;
  }

  /** Whether the claimed work is to be done now: the fence of a settlement, or the token of a turn. */
  holds(): boolean {
    const { work, conversation } = this;
    if (!work || conversation?.queue.token !== work.token || conversation.queue.owner === null) return false;
    return work.entry.kind === 'prompt' || (this.isEnd(work.entry) && work.ending === this.ending);
  }

  isEnd({ sequence }: Kept): boolean {
    return isEndingOf({ state: this.state, ending: this.ending, ending_sequence: this.endingSequence }, sequence);
  }

  /** The provider says, before the turn, how things are. */
  prepare(truth: ReadState | null): void {
    const { work, conversation } = this;
    if (!work || !conversation || !this.holds()) return;
    const { receipt, sequence } = work.entry;
    const read = { org: 'default', subject: subject('T-1'), receipt, by: 'preparer', kind: 'prompt', manner: 'read' } as const;
    const claimed = { conversation: conversation.row.id, sequence };
    if (truth !== null)
      this.commit((world) => {
        world.rememberDelivered(receipt, conversation.row.id);
        follow(world, { ...read, observation: { ...truth, transition: false }, isHeardBy: () => true, claimed });
      });
    if (this.conversation?.queue.token === work.token && this.state === 'terminal') this.complete('ignored');
  }

  /** The claimed work is over: whatever became of it changes nothing if it is not the claim's any more. */
  finish(): void {
    const { work, conversation } = this;
    if (!work || !conversation) return;
    if (conversation.queue.token !== work.token || conversation.queue.owner === null) this.work = null;
    else if (work.entry.kind === 'prompt') this.complete('done');
    else if (this.holds()) {
      this.told.push(this.ending);
      this.complete('lifecycle');
    } else this.complete('superseded');
  }

  /** The process that works is gone. */
  crash(): void {
    if (this.work && this.holds() && this.conversation) Object.assign(this.conversation.queue, { owner: null });
    this.work = null;
  }

  beginJob(): void {
    const due = this.jobs.find(({ state }) => state === 'waiting');
    if (!due || this.conversation?.queue.owner !== null) return;
    if (this.jobs.some((each) => each.ending === due.ending && each.step < due.step && each.state === 'running')) return;
    due.state = job.next(due.state, isDueFor(due, { state: this.state, ending: this.ending }) ? 'begin' : 'supersede');
    this.hasBegunForNothing ||= due.state === 'running' && (this.state === 'open' || due.ending !== this.ending);
  }

  endJob(how: 'finish' | 'fail' | 'release'): void {
    const running = this.jobs.find(({ state }) => state === 'running');
    if (running) running.state = job.next(running.state, how);
  }

  private complete(outcome: string): void {
    const { work, conversation } = this;
    if (!work || !conversation) return;
    work.entry.outcome = outcome;
    Object.assign(conversation.queue, { owner: null, open: conversation.queue.open - 1, waking: conversation.queue.waking - 1 });
    this.work = null;
  }

  private commit(decide: (world: World) => void): void {
    const known = this.conversation && { ...this.conversation, ...unchanged(), isNew: false };
    const conversations = new Map(known ? [[known.row.id, known]] : []);
    const about = new Map(known ? [[KEY, [known.row.id]]] : []);
    const world = new World(0, new Map(this.subjects), new Aliases([]), conversations, about);
    decide(world);
    this.subjects = world.subjects;
    const [after] = world.conversations.values();
    if (!after) return;
    this.conversation = after;
    if (after.retireUpTo !== null) this.retire(after.retireUpTo, after.spared);
    for (const { sequence, receipt, kind, outcome } of world.deliveries) this.deliveries.push({ sequence, receipt, kind, outcome });
    if (after.ended !== null && after.row.state === 'terminal') this.end(after.ended.sequence);
  }

  private retire(upTo: number, spared: number | null): void {
    for (const entry of this.open) {
      if (entry.sequence > upTo) continue;
      if (entry.sequence === spared) entry.kind = 'lifecycle';
      else entry.outcome = entry.kind === 'lifecycle' ? 'superseded' : 'retired';
    }
  }

  private end(sequence: number | null): void {
    this.ending += 1;
    this.endingSequence = sequence;
    for (const { step } of CLEANUP) this.jobs.push({ ending: this.ending, step, state: 'waiting' });
  }
}
