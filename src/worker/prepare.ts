import { type Applied, applyVerdict } from '../core/admission/apply-verdict.js';
import { isOfAutomation } from '../core/automations/automation.js';
import type { Claim } from '../core/deliveries/claim.js';
import type { DeliveryContent, OpenDelivery } from '../core/deliveries/deliveries.js';
import { type ClaimEnd, narrowClaim } from '../core/deliveries/end-claims.js';
import { storable } from '../core/storable.js';
import { type Party, readVerdict } from '../core/verdicts/verdicts.js';
import type { Database } from '../database/database.js';
import { type Parsed, ProviderFault, type Verdict } from '../plugin/index.js';
import { checkedVerdict } from './checked-verdict.js';
import type { Work } from './claim-work.js';
import { claimedDelivery } from './claimed-delivery.js';
import { type ConnectedProvider, OWN_PROVIDER, type Providers } from './providers.js';
import { type Hands, taskDesk } from './task-desk.js';
import { askedPauseMs, isTransient, within } from './within.js';
import type { WorkTable } from './work-table.js';

export interface PrepareContext {
  readonly database: Database;
  readonly table: WorkTable;
  readonly providers: Providers;
  /** How long a plugin may take for one call. */
  readonly callMs: number;
  /** What trusted processors may bring about; left out: nothing. */
  readonly hands?: Hands;
  /** After a verdict was committed: what others have to know of. */
  readonly onVerdict: (applied: Applied) => void;
}

/** What a claim is after its providers have had their word. `over`: nothing of it is left to end. */
export type Prepared =
  | { readonly how: 'ready'; readonly work: Work }
  | { readonly how: 'end'; readonly end: ClaimEnd }
  | { readonly how: 'over' };

const FAILURE_CHARACTERS = 4 * 1024;

/**
 * Lets the providers of a claim's deliveries have their word, each in its place. A delivery whose provider cannot be asked now ends the
 * claim before it; the first one delays the conversation. Costs nothing where no provider has anything to say.
 */
export async function prepare(work: Work, context: PrepareContext, signal: AbortSignal): Promise<Prepared> {
  let { claim } = work;
  const contents = new Map(work.contents.map((content) => [content.sequence, content]));
  for (const entry of work.claim.entries) {
    const content = contents.get(entry.sequence);
    if (!content || !hasAsker(content, context)) continue;
    const step = new Step(claim, entry, content, work, context, signal);
    try {
      const left = await step.take();
      if (left === null) return { how: 'over' };
      claim = left;
      if (step.movedTo !== null) return { how: 'end', end: claimedThere(claim, step.movedTo) };
    } catch (error) {
      if (!(error instanceof AskingFault)) throw error;
      if (claim.head.sequence === entry.sequence) return { how: 'end', end: endOf(error, claim, entry, work, context, signal) };
      const to = entry.sequence - 1;
      if (!(await context.database.transaction((tx) => narrowClaim(tx, claim, to)))) return { how: 'over' };
      claim = { ...claim, to, entries: claim.entries.filter(({ sequence }) => sequence <= to) };
      break;
    }
  }
  if (claim === work.claim) return { how: 'ready', work };
  const taken = new Set(claim.entries.map(({ sequence }) => sequence));
  return { how: 'ready', work: { ...work, claim, contents: work.contents.filter(({ sequence }) => taken.has(sequence)) } };
}

/** Whether there is anything to be done, or missing, before this delivery's turn. */
export function hasAsker({ org, source, provider }: DeliveryContent, { providers }: PrepareContext): boolean {
  const found = providers.find(org, source);
  if (found === null) return provider !== OWN_PROVIDER;
  return found.provider.trusted !== undefined || found.provider.preparer !== undefined;
}

/** Its provider did not give its word; the cause says why. Null: there is no such provider. */
class AskingFault extends Error {
  constructor(
    message: string,
    readonly of: unknown,
  ) {
    super(message);
  }
}

function endOf(
  { message, of }: AskingFault,
  claim: Claim,
  { route }: OpenDelivery,
  { conversation }: Work,
  { table }: PrepareContext,
  signal: AbortSignal,
): ClaimEnd {
  const failure = storable(message, FAILURE_CHARACTERS);
  if (of === null) return { claim, how: 'unconfigured', failure };
  if (signal.aborted) return { claim, how: 'deferred', failure, pauseMs: 0 };
  if (isTransient(of)) return { claim, how: 'deferred', failure, pauseMs: askedPauseMs(of) };
  return { claim, how: 'failed', failure, onDead: table.onDead(conversation.org, route), turn: null };
}

/** Turns of a workspace are counted, and may exclude each other: what was moved is claimed anew, as one of its new workspace. */
function claimedThere(claim: Claim, workspace: string): ClaimEnd {
  return { claim, how: 'deferred', failure: `moved to the workspace ${workspace}`, pauseMs: 0 };
}

function unplaced({ workspace: _, ...verdict }: Verdict): Verdict {
  return verdict;
}

/** One delivery of a claim before its turn: first what must be done, once; then what is to be known, every time. */
class Step {
  /** The workspace that a verdict moved the conversation to; null: it stays. */
  movedTo: string | null = null;

  constructor(
    private claim: Claim,
    private readonly entry: OpenDelivery,
    private readonly content: DeliveryContent,
    private readonly work: Work,
    private readonly context: PrepareContext,
    private readonly signal: AbortSignal,
  ) {}

  /** What is left of the claim; null: nothing. */
  async take(): Promise<Claim | null> {
    const found = this.context.providers.find(this.content.org, this.content.source);
    if (found === null) throw new AskingFault(`connection ${this.content.source} is not in the configuration`, null);
    if (!(await this.process(found))) return null;
    // What was processed away needs no preparation.
    if (!this.claim.entries.includes(this.entry) || this.movedTo !== null) return this.claim;
    return (await this.prepare(found)) ? this.claim : null;
  }

  private async process(found: ConnectedProvider): Promise<boolean> {
    const { connection, provider } = found;
    const { trusted } = provider;
    const { hands, database } = this.context;
    // A board steers the conversations of routes.
    if (trusted === undefined || this.entry.kind === 'lifecycle' || isOfAutomation(this.entry.route)) return true;
    const known = await this.context.database.transaction((tx) => readVerdict(tx, { ...this.entry, party: 'trusted' }));
    if (known !== null) return true;
    const event = claimedDelivery(this.work.conversation, this.content);
    const desk = hands && { tasks: taskDesk(this.work, this.content.provider, found, { database, hands }) };
    return this.apply('trusted', await this.call((signal) => trusted.process(event, { connection, signal, ...desk })));
  }

  private async prepare({ connection, provider: { preparer } }: ConnectedProvider): Promise<boolean> {
    if (preparer === undefined) return true;
    const delivery = claimedDelivery(this.work.conversation, this.content);
    // Where the conversations of an automation are, the automation says.
    const placed = isOfAutomation(this.entry.route) ? unplaced : (said: Verdict) => said;
    const verdict = await this.call(async (signal) => placed(await preparer.prepare(delivery, connection, signal)));
    const { state, workspace } = this.work.conversation;
    const isHere = verdict.workspace === undefined || verdict.workspace === workspace;
    const isPlain = verdict.verdict === 'proceed' && !verdict.observation && isHere && state === 'open';
    return isPlain && this.entry.kind === 'prompt' ? true : this.apply('preparer', verdict);
  }

  private async call(work: (signal: AbortSignal) => Promise<Verdict>): Promise<Verdict> {
    try {
      const verdict = checkedVerdict(await within(this.context.callMs, this.signal, work));
      const { workspace } = verdict;
      if (workspace !== undefined && this.context.table.workspace(this.content.org, workspace) === null)
        throw new ProviderFault(`the plugin names the workspace ${workspace}, which is not in the configuration`, 'permanent');
      return verdict;
    } catch (error) {
      throw new AskingFault(error instanceof Error ? error.message : String(error), error ?? 'nothing');
    }
  }

  private async apply(party: Party, verdict: Verdict): Promise<boolean> {
    const { claim, entry } = this;
    const { org } = this.content;
    const { subject } = JSON.parse(this.content.parsed) as Parsed;
    const mayAnswer = this.context.table.route(org, entry.route)?.afterClose === 'answer';
    const placementOf = (of: string, workspace: string) => this.context.table.placement(of, workspace);
    const judgement = { claim, entry, org, subject, party, verdict, mayAnswer, placementOf };
    const applied = await this.context.database.transaction((tx) => applyVerdict(tx, judgement));
    this.context.onVerdict(applied);
    if (applied.movedTo !== null) await this.leave(applied.movedTo);
    if (applied.left.how !== 'claimed') return false;
    this.claim = applied.left.claim;
    return true;
  }

  /** What the runtime of the workspace before keeps between turns is no use any more; what it cannot let go of ends with its server. */
  private async leave(movedTo: string): Promise<void> {
    const { id, org, workspace } = this.work.conversation;
    this.movedTo = movedTo;
    await Promise.allSettled([this.context.table.workspace(org, workspace)?.runtime.retire?.(id)]);
  }
}
