import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../database/database.js';
import type { Tx } from '../../database/tx.js';
import {
  ConfigFault,
  type Evidence,
  type EvidenceIds,
  InvalidInput,
  type OutboundBinding,
  type OutboundTool,
  ProviderFault,
} from '../../plugin/index.js';
import { ConversationTasks } from '../conversation-tasks.js';
import { isAlive } from '../replicas/replicas.js';
import { subjectFault } from '../routing/subject-fault.js';
import { storable } from '../storable.js';
import type { EffectLedger } from './effect-ledger.js';
import { type EffectRow, insertEffect, type NewEffect, startExecuting } from './effects.js';
import type { Finding } from './end-effect.js';
import { effectKey, requestHash, scopeHash } from './evidence.js';
import { NotWritable } from './not-writable.js';

/** A write that somebody asks for. The input has been validated against the tool's class. */
export interface OutboundWrite<Input extends object = object> {
  /** Name of the plugin. */
  readonly provider: string;
  readonly tool: OutboundTool<object, Input>;
  readonly binding: OutboundBinding;
  readonly input: Input;
  /** UUID of the effect, where whoever asks has to find it again; one that was used is refused by the store. */
  readonly effect?: string;
}

/** What came of a write. `unknown` is settled later, by the provider's callback, its reader, or an operator. */
export type Performed =
  | { readonly is: 'confirmed'; readonly effect: string; readonly evidence: Evidence }
  | { readonly is: 'refused'; readonly effect: string; readonly fault: Error }
  | { readonly is: 'unknown'; readonly effect: string; readonly fault: Error };

export interface OutboundTimes {
  /** After this time an answer counts as lost; should it come all the same, it is heard. */
  readonly patienceMs: number;
}

const LONGEST_WORD = 255;
const LONGEST_WHY = 500;
const PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5000;

/** The one way in which this process writes at providers: nothing is written that was not recorded before. */
export class Outbound {
  private readonly running = new Set<Promise<unknown>>();
  private readonly end = new AbortController();
  private isStopping = false;

  constructor(
    private readonly database: Database,
    private readonly ledger: EffectLedger,
    /** What hashes and ids are made with. */
    private readonly key: Buffer,
    /** The replica that this process is; null: it may begin nothing now. */
    private readonly owner: () => number | null,
    private readonly times: OutboundTimes,
  ) {}

  /** Throws `NotWritable` when nothing was begun. */
  async perform<Input extends object>(write: OutboundWrite<Input>): Promise<Performed> {
    if (this.isStopping) throw new NotWritable('this server is stopping');
    const performed = this.begin(write).then((effect) => this.execute(effect, write));
    return this.tracked(performed);
  }

  /** Begins nothing more, and gives what runs this long to end; what has not ended then is of unknown outcome. */
  async stop(graceMs: number): Promise<void> {
    this.isStopping = true;
    const patience = new AbortController();
    await Promise.race([this.rest(), delay(graceMs, undefined, { signal: patience.signal }).catch(() => undefined)]);
    patience.abort();
    this.end.abort();
    await this.rest();
  }

  private async rest(): Promise<void> {
    while (this.running.size > 0) await Promise.allSettled(this.running);
  }

  private tracked<T>(work: Promise<T>): Promise<T> {
    this.running.add(work);
    const over = () => this.running.delete(work);
    work.then(over, over);
    return work;
  }

  /** Two commits before the provider hears of it: what was only prepared when its process died was surely never sent. */
  private async begin<Input extends object>({ provider, tool, binding, input, effect: given }: OutboundWrite<Input>): Promise<string> {
    const { connection, conversation } = binding;
    const { account, kind, action, subject } = tool.scope(input, binding);
    const fault = subject && subjectFault(subject);
    if (fault) throw new InvalidInput(`the subject of this write cannot be one: ${fault}`);
    const id = given ?? randomUUID();
    const scope = scopeHash({ org: connection.org, provider, account, kind, action });
    const [shownAccount, shownKind, shownAction] = [account, kind, action].map((word) => storable(word, LONGEST_WORD));
    await this.asOwner((tx, owner) => {
      const effect: NewEffect = {
        ...{ id, org: connection.org, provider, source: connection.name, tool: tool.name, conversation, owner, subject, scope },
        ...{ account: shownAccount ?? '', kind: shownKind ?? '', action: shownAction ?? '' },
        request: requestHash(this.key, tool.name, input),
        marker: tool.isMarked ? effectKey(this.key, id) : null,
      };
      return insertEffect(tx, effect);
    });
    try {
      if (await this.asOwner((tx, owner) => startExecuting(tx, id, owner))) return id;
    } catch (error) {
      await this.ledger.found(id, { is: 'absent', reason: 'never_sent' }, 'host', 'it could not be begun').catch(() => undefined);
      throw error;
    }
    throw new NotWritable('this replica was taken for dead; nothing was sent');
  }

  /** Only a living replica begins, and whoever declares it dead sees all that it began. */
  private asOwner<T>(work: (tx: Tx, owner: number) => Promise<T>): Promise<T> {
    const owner = this.owner();
    return this.database.transaction(async (tx) => {
      if (owner === null || !(await isAlive(tx, owner))) throw new NotWritable('this replica has no lease');
      return work(tx, owner);
    });
  }

  private async execute<Input extends object>(effect: string, write: OutboundWrite<Input>): Promise<Performed> {
    const answer = this.ask(effect, write);
    const timely = await Promise.race([answer, this.lostPatience(effect)]);
    const performed = await this.learn(effect, timely);
    if (performed.is === 'unknown') this.listenOn(effect, answer);
    return performed;
  }

  /** The tool may still be heard of. What it then knows is worth something, but nobody depends on it. */
  private listenOn(effect: string, answer: Promise<Performed>): void {
    answer.then((late) => (late.is === 'unknown' ? late : this.learn(effect, late))).catch(() => undefined);
  }

  private async ask<Input extends object>(effect: string, { tool, binding, input }: OutboundWrite<Input>): Promise<Performed> {
    try {
      const tasks = new ConversationTasks(this.database, binding.conversation, null);
      const evidence = await tool.execute(input, { ...binding, tasks }, effectKey(this.key, effect));
      const incomplete = faultOf(evidence, tool.scope(input, binding).subject !== null);
      return incomplete ? { is: 'unknown', effect, fault: new Error(incomplete) } : { is: 'confirmed', effect, evidence };
    } catch (error) {
      const fault = error instanceof Error ? error : new Error(String(error));
      return { is: isDefinite(fault) ? 'refused' : 'unknown', effect, fault };
    }
  }

  private async lostPatience(effect: string): Promise<Performed> {
    const signal = AbortSignal.any([this.end.signal, AbortSignal.timeout(this.times.patienceMs)]);
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    const why = this.end.signal.aborted ? 'the server stopped before the provider answered' : 'the provider did not answer in time';
    return { is: 'unknown', effect, fault: new Error(why) };
  }

  /** What the provider said is known to nobody else, so a store that is away is waited for until the very end. */
  private async learn(effect: string, performed: Performed): Promise<Performed> {
    for (let pause = PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      try {
        const why = performed.is === 'confirmed' ? 'the provider answered' : performed.fault.message;
        const outcome = await this.ledger.found(effect, findingOf(performed), 'host', storable(why, LONGEST_WHY));
        return (outcome && proved(outcome.effect)) ?? performed;
      } catch (error) {
        // The next start finds it executing, and its owner gone.
        if (this.end.signal.aborted || this.database.dialect.fault(error) === 'invalid') throw error;
        await delay(pause, undefined, { signal: this.end.signal }).catch(() => undefined);
      }
    }
  }
}

/** A callback with our own id says more than an answer that went wrong. */
function proved({ id, state, evidence_ids: ids }: EffectRow): Performed | null {
  return state === 'confirmed' && ids !== null ? { is: 'confirmed', effect: id, evidence: { ids: JSON.parse(ids) as EvidenceIds } } : null;
}

function findingOf(performed: Performed): Finding {
  if (performed.is === 'confirmed') return { is: 'present', evidence: performed.evidence };
  if (performed.is === 'unknown') return { is: 'unknown' };
  return { is: 'absent', reason: performed.fault instanceof ProviderFault ? performed.fault.kind : 'invalid' };
}

/** Errors by which a tool says that surely nothing was written. */
function isDefinite(error: Error): boolean {
  return error instanceof ProviderFault || error instanceof InvalidInput || error instanceof ConfigFault;
}

/** Half an answer proves nothing. */
function faultOf({ ids, subject }: Evidence, isPlaced: boolean): string | null {
  if (Object.keys(ids).length === 0 || Object.values(ids).some((id) => typeof id !== 'string' || id === ''))
    return 'the answer has no complete evidence';
  return isPlaced || subject !== undefined ? null : 'the answer does not say what was written to';
}
