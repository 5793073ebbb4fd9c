import { randomUUID } from 'node:crypto';
import type { Tx } from '../../database/tx.js';
import { type Connection, InvalidInput, type OutboundTool } from '../../plugin/index.js';
import { readStanding, type Standing } from '../conversations/standings.js';
import type { Queue } from '../deliveries/queue.js';
import { lockQueues } from '../deliveries/queues.js';
import { type EffectRow, readEffectRow } from '../effects/effects.js';
import type { OutboundWrite } from '../effects/outbound.js';
import { isAlive } from '../replicas/replicas.js';
import { approval, isSealed, type Refusal, scopeText } from './approval.js';
import { auditApproval } from './approval-desk.js';
import type { ShowApproval } from './approval-post.js';
import { type ApprovalRow, beginExecution, finishApproval, lockApproval } from './approvals.js';
import type { Permit } from './outbound-policy.js';

/** A tool as the configuration gives it to a conversation now. */
export interface BoundTool {
  /** Name of the plugin. */
  readonly provider: string;
  readonly connection: Connection;
  readonly tool: OutboundTool;
  readonly permit: Permit;
  /** What the tool is given. Throws `InvalidInput` where it is not what the tool takes. */
  read(body: Buffer): object;
}

/** The tools that conversations have, by the configuration. */
export interface ToolBinder {
  /** Null: this conversation has no such tool. */
  find(standing: Standing, tool: string): BoundTool | null;
}

/** What is to be done about an approved one now. */
export type Step =
  | { readonly is: 'perform'; readonly write: OutboundWrite }
  /** It is over since this transaction. */
  | { readonly is: 'over' }
  /** Somebody else is at it, or its outcome is not known yet. */
  | { readonly is: 'wait' };

export interface Execution {
  readonly key: Buffer;
  readonly owner: number;
  readonly tools: ToolBinder;
  readonly show: ShowApproval;
}

const WAIT: Step = { is: 'wait' };
const OVER: Step = { is: 'over' };

/**
 * Looks at an approved one under the locks of its queue and its row. All that it was bound to is looked at again right before it is done;
 * the effect that does it has an id which is written down before, so that whoever comes after a crash finds out how far it came.
 */
export async function takeApproved(tx: Tx, { id, conversation }: ApprovalRow, execution: Execution): Promise<Step> {
  const queue = (await lockQueues(tx, [conversation])).get(conversation);
  const row = await lockApproval(tx, id);
  if (row?.state !== 'approved') return OVER;
  const standing = await readStanding(tx, conversation);
  const { show } = execution;
  if (row.kind === 'permission') return grant(tx, row, standing, queue, show);
  const effect = row.effect === null ? null : await readEffectRow(tx, row.effect);
  if (row.effect !== null && effect === null && !(await isAbandoned(tx, row, execution.owner))) return WAIT;
  if (effect !== null && !wasNeverSent(effect)) return follow(tx, row, effect, show);
  return begin(tx, row, standing, execution);
}

/** Its process ended between the two commits, and nothing was begun. */
async function isAbandoned(tx: Tx, { owner }: ApprovalRow, self: number): Promise<boolean> {
  return owner === null || owner === self || !(await isAlive(tx, owner));
}

function wasNeverSent({ state, reason }: EffectRow): boolean {
  return state === 'failed' && reason === 'never_sent';
}

async function follow(tx: Tx, row: ApprovalRow, { state, reason, evidence_ids: result }: EffectRow, show: ShowApproval): Promise<Step> {
  if (state === 'confirmed') return end(tx, row, { reason: null, result }, show);
  if (state === 'failed') return end(tx, row, { reason: reason ?? 'unknown' }, show);
  if (state === 'reconciled_absent') return end(tx, row, { reason: 'absent' }, show);
  return WAIT;
}

async function begin(tx: Tx, row: ApprovalRow, standing: Standing | null, { key, owner, tools, show }: Execution): Promise<Step> {
  const found = standing && tools.find(standing, row.tool ?? '');
  const fault = isSealed(key, row) ? refusalOf(row, standing, found, await isOverdue(tx, row)) : 'altered';
  if (fault !== null || standing === null || found === null) return end(tx, row, { reason: fault ?? 'unconfigured' }, show);
  const input = found.read(row.body);
  const effect = randomUUID();
  await beginExecution(tx, row.id, owner, effect);
  const { provider, connection, tool } = found;
  const binding = { connection, conversation: standing.id, subject: standing.place };
  return { is: 'perform', write: { provider, tool, binding, input, effect } };
}

function refusalOf(row: ApprovalRow, standing: Standing | null, found: BoundTool | null, isOverdue: boolean): Refusal | null {
  if (standing === null || standing.state === 'terminal' || standing.ending !== row.ending) return 'ended';
  if (standing.cleared_to !== row.cleared_to) return 'reset';
  if (isOverdue) return 'expired';
  if (found === null) return 'unconfigured';
  const { provider, connection, permit } = found;
  if (provider !== row.provider || connection.name !== row.source || standing.route !== row.route) return 'moved';
  if (permit.is === 'refused') return 'policy';
  return placeOf(row, found, standing) === row.scope ? null : 'moved';
}

/** Where it would be written now; null: the tool does not take what it is to be given. */
function placeOf({ body }: ApprovalRow, { connection, tool, read }: BoundTool, standing: Standing): string | null {
  try {
    return scopeText(tool.scope(read(body), { connection, conversation: standing.id, subject: standing.place }));
  } catch (error) {
    if (error instanceof InvalidInput) return null;
    throw error;
  }
}

async function isOverdue(tx: Tx, { id }: ApprovalRow): Promise<boolean> {
  return (await tx.all(`select 1 as overdue from approvals where id = ? and expires_at <= ${tx.dialect.now}`, [id])).length > 0;
}

/** What a turn still waits for is that turn's, and what it will ask for again, too. */
export function isAwaited({ waits_until, token }: ApprovalRow, queue: Queue | undefined): boolean {
  if (waits_until === null || !queue) return false;
  return (queue.owner !== null && queue.token === token) || (queue.retryTo !== null && queue.parked === null);
}

async function grant(tx: Tx, row: ApprovalRow, standing: Standing | null, queue: Queue | undefined, show: ShowApproval): Promise<Step> {
  if (standing === null || standing.ending !== row.ending) return end(tx, row, { reason: 'ended' }, show);
  if (standing.cleared_to !== row.cleared_to) return end(tx, row, { reason: 'reset' }, show);
  return isAwaited(row, queue) ? WAIT : end(tx, row, { reason: null }, show);
}

/** `reason` null: it was done. */
async function end(
  tx: Tx,
  row: ApprovalRow,
  { reason, result = null }: { readonly reason: string | null; readonly result?: string | null },
  show: ShowApproval,
): Promise<Step> {
  const event = reason === null ? 'execute' : 'fail';
  const isOfNobody = reason === 'ended' || reason === 'reset';
  await finishApproval(tx, row.id, { event, reason, result, told: isOfNobody });
  await auditApproval(tx, row, 'throughline', event, reason === null ? {} : { reason });
  await show(tx, { ...row, state: approval.target(event), reason });
  return OVER;
}
