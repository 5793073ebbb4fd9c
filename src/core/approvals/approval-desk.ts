import type { Database } from '../../database/database.js';
import { clock, type Tx } from '../../database/tx.js';
import { Conflict, type EffectScope } from '../../plugin/index.js';
import { type AuditEntry, insertAudit } from '../audit/audits.js';
import { pendingAudit } from '../audit/pending-audit.js';
import { readBinding } from '../controls/bindings.js';
import { readStanding, type Standing } from '../conversations/standings.js';
import type { Queue } from '../deliveries/queue.js';
import { lockQueues } from '../deliveries/queues.js';
import type { Signals } from '../signals.js';
import { bodyHash, isApprovalId, newApprovalId, scopeText, sealOf } from './approval.js';
import type { ShowApproval } from './approval-post.js';
import {
  type ApprovalRow,
  type AskedIn,
  decideApproval,
  findByRequest,
  findSame,
  insertApproval,
  lockApproval,
  type NewApproval,
  readApproval,
} from './approvals.js';

/** A write that a person is asked about. */
export interface WriteRequest {
  /** The conversation as it stood when its agent asked. */
  readonly standing: Standing;
  readonly source: string;
  readonly provider: string;
  readonly tool: string;
  readonly scope: EffectScope;
  readonly title: string;
  /** Exactly what the tool is given. */
  readonly body: Buffer;
  /** What makes the call one and the same; null: a call of its own. */
  readonly request: string | null;
}

export interface Decision {
  /** Null: whoever decides is known to be of the right one. */
  readonly org: string | null;
  /** Set: only about approvals of this one. */
  readonly conversation?: string;
  /** Set: the thread in which it is decided. */
  readonly place?: AskedIn;
  readonly approval: string;
  readonly decision: 'approve' | 'deny';
  readonly by: string;
  /** The id of whoever decides, where the name is one that people choose. */
  readonly person?: string;
  readonly reason: string | null;
  /** Why this person may not decide about it; null: they may. */
  readonly refusal?: () => Promise<string | null>;
}

/** What came of a decision. `already`: somebody else was first; `gone`: it cannot be decided any more. */
export type Decided =
  | { readonly is: 'decided' | 'already' | 'gone'; readonly row: ApprovalRow }
  | { readonly is: 'refused'; readonly why: string }
  | { readonly is: 'unknown' };

/** What agents ask people for, and what people say. */
export class ApprovalDesk {
  constructor(
    private readonly database: Database,
    private readonly signals: Signals,
    private readonly key: Buffer,
    private readonly times: { readonly expiresMs: number },
    readonly show: ShowApproval = async () => undefined,
  ) {}

  /** Puts a write before people. The same call again is the same approval, and so is one that is pending for exactly the same. */
  async ask(request: WriteRequest): Promise<ApprovalRow> {
    const { standing } = request;
    const row = await this.database.transaction(async (tx) => {
      const queue = (await lockQueues(tx, [standing.id])).get(standing.id);
      const now = await readStanding(tx, standing.id);
      if (!queue || !now || isOver(standing, now)) throw new Conflict('this conversation has ended, or was reset, meanwhile');
      return this.put(tx, this.writeOf(request, queue, await termsOf(tx, standing.id, this.times.expiresMs)));
    });
    this.tell(standing.id);
    return row;
  }

  /** Decides about it, once. Whoever comes second is told who was first. */
  async decide(decision: Decision): Promise<Decided> {
    const audit = pendingAudit();
    const outcome = await this.database.transaction((tx) => this.decideWithin(tx, decision, audit?.entry));
    if (outcome.is !== 'decided') return outcome;
    if (audit !== null) audit.isStored = true;
    this.tell(outcome.row.conversation);
    return outcome;
  }

  /** In a transaction of the caller's, who calls `tell` after its commit. `entry`: the line of the audit log, where there is one already. */
  async decideWithin(tx: Tx, decision: Decision, entry?: AuditEntry): Promise<Decided> {
    if (!isApprovalId(decision.approval)) return { is: 'unknown' };
    const decided = await judge(tx, decision);
    if (decided.is !== 'decided') return decided;
    if (entry === undefined) await auditApproval(tx, decided.row, decision.by, decision.decision, known(decision.person));
    else await insertAudit(tx, entry);
    await this.show(tx, decided.row);
    return decided;
  }

  /** A request that the same agent makes again; for whoever stores its conversation's rows in the same transaction. */
  async put(tx: Tx, wanted: NewApproval): Promise<ApprovalRow> {
    const known = (await findByRequest(tx, wanted.conversation, wanted.request)) ?? (await findSame(tx, wanted));
    if (known !== null) return known;
    await insertApproval(tx, wanted);
    const row = await readApproval(tx, wanted.id);
    if (row === null) throw new Error(`the approval ${wanted.id} was not stored`);
    await auditApproval(tx, row, 'throughline', 'ask', { conversation: row.conversation, tool: row.tool });
    await this.show(tx, row);
    return row;
  }

  private writeOf(
    { standing, source, provider, tool, scope, title, body, request }: WriteRequest,
    queue: Queue,
    { asked, created_at, expires_at }: Terms,
  ): NewApproval {
    const id = newApprovalId();
    const { id: conversation, org, route } = standing;
    const sealed = {
      id,
      org,
      kind: 'write',
      conversation,
      source,
      provider,
      tool,
      scope: scopeText(scope),
      title,
      body,
      expires_at,
    } as const;
    return {
      ...sealed,
      ...{ bodyHash: bodyHash(body), seal: sealOf(this.key, sealed), ending: standing.ending, clearedTo: standing.cleared_to },
      ...{ token: queue.owner === null ? null : queue.token, route, request: request ?? id, waitMs: null, asked, created_at },
    };
  }

  /** After the commit: whoever waits for a decision, or shows what is asked, looks. */
  tell(conversation: string): void {
    this.signals.emit('approvals', [conversation]);
    this.signals.emit('errands');
    this.signals.emit('activity', conversation);
  }
}

const ELSEWHERE = 'This was asked in another thread; decide there, or through the API.';

async function judge(tx: Tx, { org, conversation, place, approval, decision, by, reason, refusal }: Decision): Promise<Decided> {
  const row = await lockApproval(tx, approval);
  if (row === null || (org !== null && row.org !== org)) return { is: 'unknown' };
  if (conversation !== undefined && row.conversation !== conversation) return { is: 'unknown' };
  if (row.state !== 'pending') return { is: row.decided_by === null ? 'gone' : 'already', row };
  const why = isElsewhere(row, place) ? ELSEWHERE : ((await refusal?.()) ?? null);
  if (why !== null) return { is: 'refused', why };
  const decided = await decideApproval(tx, approval, { event: decision, by, why: reason });
  return decided === null ? { is: 'gone', row } : { is: 'decided', row: decided };
}

function isElsewhere({ asked_connection, asked_thread }: ApprovalRow, place: AskedIn | undefined): boolean {
  if (place === undefined || asked_thread === null) return false;
  return asked_thread !== place.thread || asked_connection !== place.connection;
}

/** Until when, and where, an approval that is asked for now may be decided. */
export interface Terms {
  readonly created_at: number;
  readonly expires_at: number;
  readonly asked: AskedIn | null;
}

export async function termsOf(tx: Tx, conversation: string, expiresMs: number): Promise<Terms> {
  const binding = await readBinding(tx, conversation);
  const asked = binding?.state === 'open' && binding.thread !== null ? { connection: binding.connection, thread: binding.thread } : null;
  const now = await clock(tx);
  return { created_at: now, expires_at: now + expiresMs, asked };
}

function known(person: string | undefined): { readonly person?: string } {
  return person === undefined ? {} : { person };
}

export function isOver(then: Standing, now: Standing): boolean {
  return now.state === 'terminal' || now.ending !== then.ending || now.cleared_to !== then.cleared_to;
}

export function auditApproval(tx: Tx, { org, id }: ApprovalRow, actor: string, what: string, detail: object = {}): Promise<void> {
  return insertAudit(tx, { org, actor, action: `approval.${what}`, target: id, detail: JSON.stringify({ result: 'done', ...detail }) });
}
