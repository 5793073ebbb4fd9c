import { Logger } from '@nestjs/common';
import type { Claim } from '../core/deliveries/claim.js';
import { type DeliveryContent, readContents } from '../core/deliveries/deliveries.js';
import { causeOf } from '../core/deliveries/delivery.js';
import { turnOf } from '../core/deliveries/end-claims.js';
import { type ClaimState, claimEnd, setResting } from '../core/deliveries/queues.js';
import { turnId } from '../core/turns/turn.js';
import { checkpoint, extendTurn, isOurs, stepTurn } from '../core/turns/turns.js';
import type { Database } from '../database/database.js';
import type { Tx } from '../database/tx.js';
import type { AgentRuntime, ApprovalRequest, TurnMessage } from '../plugin/index.js';
import { type PermissionDesk, TurnRequests } from './turn-requests.js';

/** How a turn that runs is reached. */
export interface Reach {
  readonly runtime: AgentRuntime;
  /** With their files; what is not there when the signal aborts is given up. */
  readonly messages: (contents: readonly DeliveryContent[], signal: AbortSignal) => Promise<readonly TurnMessage[]>;
  /** The provider of a message has a word before a turn works on it. */
  readonly isAsked: (content: DeliveryContent) => boolean;
}

/** One for all: it tells nothing of where it was made, and a stack a turn is work. */
const OVER = new Error('the turn has ended');

/**
 * A claim that this process works on. What others do to its queue meanwhile (a message joins, a person pauses or resumes) is carried
 * out here one after the other, whenever this process hears of it.
 */
export class LiveTurn {
  private static readonly logger = new Logger('Turn');
  readonly stop = new AbortController();
  /** By `performance.now()`. */
  readonly begunAt = performance.now();
  isResting = false;
  private claimed: Claim;
  private reach: Reach | null = null;
  private takesMore = true;
  private readonly over = new AbortController();
  private isToRest = false;
  /** Its runtime was told to rest. */
  private isPausedInside = false;
  private readonly requests: TurnRequests;
  private actions: Promise<void> = Promise.resolve();
  private markBegun = () => {};
  private readonly begun = new Promise<void>((resolve) => {
    this.markBegun = resolve;
  });

  constructor(
    private readonly database: Database,
    claim: Claim,
    private readonly onRest: (isResting: boolean) => void,
    permissions: PermissionDesk,
  ) {
    this.claimed = claim;
    this.requests = new TurnRequests(permissions);
  }

  /** The claim, up to what the turn has been given. */
  get claim(): Claim {
    return this.claimed;
  }

  /** Its providers had their word: this is what is left of it for the turn. */
  narrow(claim: Claim): void {
    this.claimed = claim;
  }

  /** The runtime has begun with it. */
  begin(reach: Reach): void {
    this.reach = reach;
    this.markBegun();
  }

  /** Its queue is like this now. */
  follow({ claim_to, paused }: ClaimState): void {
    const isToRest = paused === 1;
    if (isToRest !== this.isToRest) {
      this.isToRest = isToRest;
      this.act((reach) => (isToRest ? this.rest(reach) : this.goOn(reach)));
    }
    if (claim_to > this.claimed.to) this.act((reach) => this.hand(reach));
    if (this.requests.areOpen) this.act((reach) => this.answer(reach));
  }

  /** Its agent asks for something. Resolves when that is stored, and the turn at rest; what is decided reaches the agent later. */
  ask(request: ApprovalRequest): Promise<void> {
    const asked = this.actions.then(async () => {
      const waits = this.reach?.runtime.decide !== undefined;
      await this.requests.ask(this.claimed, request, { waits, rests: !this.isResting });
      if (waits && !this.isResting) this.beAtRest(true);
    });
    this.actions = asked.catch(() => undefined);
    // A repeated turn may ask for what was decided meanwhile.
    return asked.then(() => this.act((reach) => this.answer(reach)));
  }

  /** Nothing more reaches it; resolves when what was on its way has been decided. */
  async close(): Promise<void> {
    this.over.abort(OVER);
    this.markBegun();
    await this.actions;
  }

  private act(action: (reach: Reach) => Promise<void>): void {
    const next = async () => {
      await this.begun;
      if (this.reach !== null && !this.over.signal.aborted && !this.stop.signal.aborted) await action(this.reach);
    };
    // What fails is found again by the next look at the queue, or at the latest by the end of the turn.
    this.actions = this.actions
      .then(next)
      .catch((error: Error) => LiveTurn.logger.warn(`${this.claimed.conversation}: its turn cannot be steered: ${error.message}`));
  }

  /** What has joined the claim is read and given to the agent, once. What it does not take stays where it is, for a turn of its own. */
  private async hand({ runtime, messages, isAsked }: Reach): Promise<void> {
    if (!runtime.append || !this.takesMore || this.isResting) return;
    const more = await this.database.transaction((tx) => this.readMore(tx, isAsked));
    const last = more.at(-1);
    if (last === undefined) return;
    const { conversation, token, causedBy } = this.claimed;
    const given = await messages(more, AbortSignal.any([this.stop.signal, this.over.signal]));
    this.takesMore = await this.orStopped(runtime.append(turnId(conversation, token), given));
    if (!this.takesMore) return;
    const cause = causeOf([causedBy, ...more.map(({ author_kind }) => author_kind)]);
    this.claimed = { ...this.claimed, to: last.sequence, causedBy: cause };
  }

  /** A message whose provider is to be asked first gets a turn of its own, and so does what comes after it. */
  private async readMore(tx: Tx, isAsked: Reach['isAsked']): Promise<DeliveryContent[]> {
    const { conversation, to } = this.claimed;
    const until = await claimEnd(tx, this.claimed);
    if (until === null || until <= to) return [];
    const joined = await readContents(tx, [{ conversation, from: to + 1, to: until }]);
    const first = joined.findIndex(isAsked);
    const more = first === -1 ? joined : joined.slice(0, first);
    const last = more.at(-1);
    if (last === undefined) return [];
    await extendTurn(tx, { ...this.claimed, to: last.sequence, causedBy: causeOf(more.map(({ author_kind }) => author_kind)) });
    return more;
  }

  private async rest({ runtime }: Reach): Promise<void> {
    if (!runtime.pause || this.isResting) return;
    const { conversation, token } = this.claimed;
    if (!(await this.step('pause'))) return;
    if (!(await this.orStopped(runtime.pause(turnId(conversation, token))))) return;
    if (!(await this.step('rest'))) return;
    this.isPausedInside = true;
    this.beAtRest(true);
  }

  private async goOn(reach: Reach): Promise<void> {
    if (this.requests.areOpen) return this.answer(reach);
    if (!(await this.step('resume')) || !this.isResting) return;
    this.beAtRest(false);
    await this.resumeInside(reach);
    await this.hand(reach);
  }

  private async resumeInside({ runtime }: Reach): Promise<void> {
    if (!this.isPausedInside) return;
    this.isPausedInside = false;
    await runtime.resume?.(turnId(this.claimed.conversation, this.claimed.token));
  }

  /** While a person has it paused, nothing is told to its agent. It rests until the last of its requests is over. */
  private async answer(reach: Reach): Promise<void> {
    if (this.isToRest || !this.requests.areOpen) return;
    const over = await this.requests.over();
    if (over.length === 0) return;
    if (over.length === this.requests.count) {
      if (!(await this.requests.goOn(this.claimed))) return;
      this.beAtRest(false);
    }
    await this.resumeInside(reach);
    for (const each of over) await this.requests.tell(each, this.claimed, reach.runtime, (told) => this.orStopped(told));
    if (!this.isResting) await this.hand(reach);
  }

  private beAtRest(isResting: boolean): void {
    if (this.isResting === isResting) return;
    this.isResting = isResting;
    this.onRest(isResting);
  }

  private step(event: 'pause' | 'rest' | 'resume'): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      if (!(await isOurs(tx, this.claimed))) return false;
      if (event === 'pause') await checkpoint(tx, turnOf(this.claimed), null);
      else await setResting(tx, this.claimed.conversation, event === 'rest');
      return stepTurn(tx, this.claimed, event);
    });
  }

  /** A turn that is stopped may leave its runtime without an answer. */
  private async orStopped(answer: Promise<boolean>): Promise<boolean> {
    const { signal } = this.stop;
    const stopped = new Promise<boolean>((resolve) => {
      if (signal.aborted) resolve(false);
      signal.addEventListener('abort', () => resolve(false), { once: true });
    });
    return Promise.race([answer.catch(() => false), stopped]);
  }
}
