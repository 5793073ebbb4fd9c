import { createHmac } from 'node:crypto';
import type { ApprovalDesk } from '../core/approvals/approval-desk.js';
import type { ApprovalRow } from '../core/approvals/approvals.js';
import type { BoundTool } from '../core/approvals/execute-approval.js';
import type { Standing } from '../core/conversations/standings.js';
import { type EffectRow, readEffectRow } from '../core/effects/effects.js';
import { effectKey, requestHash } from '../core/effects/evidence.js';
import type { Outbound, Performed } from '../core/effects/outbound.js';
import type { Database } from '../database/database.js';
import { ConfigFault, type EffectScope, InvalidInput, type OutboundBinding, ProviderFault } from '../plugin/index.js';
import { checkInput } from './tool-input.js';
import type { ToolTable } from './tool-table.js';

/** What an agent's call came to, as it is told. */
export interface CallResult {
  readonly isError: boolean;
  readonly told: Readonly<Record<string, unknown>>;
}

/** An agent's call of one of its tools. */
export interface ToolCall {
  readonly tool: string;
  readonly input: unknown;
  /** What makes it one and the same call however often it is sent; null: it is one of its own. */
  readonly key: string | null;
}

/** Does what agents ask their tools for: at once, or after a person has allowed it. */
export class ToolCalls {
  constructor(
    private readonly database: Database,
    private readonly table: ToolTable,
    private readonly desk: ApprovalDesk,
    private readonly outbound: Outbound,
    private readonly key: Buffer,
  ) {}

  async call(standing: Standing, { tool: name, input, key }: ToolCall): Promise<CallResult> {
    const found = this.table.find(standing, name);
    if (found === null) return this.read(standing, name, input);
    const { permit, tool, connection } = found;
    if (permit.is === 'refused') return refused(`${name} writes nothing here: ${permit.why}`);
    const binding: OutboundBinding = { connection, conversation: standing.id, subject: standing.place };
    try {
      const checked = checkInput(tool.input, input);
      const scope = tool.scope(checked, binding);
      if (isElsewhere(scope, binding)) return refused(`${name} would write to something that this conversation is not about`);
      if (permit.is === 'allowed') return await this.write(found, binding, checked, key);
      return fromApproval(await this.ask(standing, found, scope, input, key), permit.why);
    } catch (error) {
      if (error instanceof InvalidInput) return refused(error.message);
      throw error;
    }
  }

  private async read(standing: Standing, name: string, input: unknown): Promise<CallResult> {
    const found = this.table.reads(standing).find(({ tool }) => tool.name === name);
    if (found === undefined) return refused(`there is no tool ${name}`);
    const { permit, tool, connection } = found;
    if (permit.is === 'refused') return refused(`${name} reads nothing here: ${permit.why}`);
    try {
      const binding: OutboundBinding = { connection, conversation: standing.id, subject: standing.place };
      return { isError: false, told: await tool.read(checkInput(tool.input, input), binding, AbortSignal.timeout(READ_MS)) };
    } catch (error) {
      if (error instanceof InvalidInput) return refused(error.message);
      if (error instanceof ProviderFault || error instanceof ConfigFault)
        return { isError: true, told: { status: 'failed', message: error.message } };
      throw error;
    }
  }

  private ask(
    standing: Standing,
    { provider, connection, tool }: BoundTool,
    scope: EffectScope,
    input: unknown,
    key: string | null,
  ): Promise<ApprovalRow> {
    const about = standing.title ?? `${standing.namespace} ${standing.key}`;
    return this.desk.ask({
      ...{ standing, source: connection.name, provider, tool: tool.name, scope },
      title: `${provider}.${tool.name} (${scope.kind} ${scope.action}) at ${about}`.slice(0, LONGEST_TITLE),
      body: Buffer.from(JSON.stringify(input)),
      request: key === null ? null : `call:${createHmac('sha256', this.key).update(key).digest('base64url')}`,
    });
  }

  private async write({ provider, tool }: BoundTool, binding: OutboundBinding, input: object, key: string | null): Promise<CallResult> {
    if (key === null) return fromPerformed(await this.outbound.perform({ provider, tool, binding, input }));
    const effect = effectKey(this.key, `call:${JSON.stringify([binding.conversation, tool.name, key])}`);
    const known = await this.known(effect);
    if (known !== null) return fromEffect(known, requestHash(this.key, tool.name, input));
    try {
      return fromPerformed(await this.outbound.perform({ provider, tool, binding, input, effect }));
    } catch (error) {
      // The same call came twice at one time, and the other one was first.
      const other = await this.known(effect);
      if (other === null || this.database.dialect.fault(error) !== 'constraint') throw error;
      return fromEffect(other, requestHash(this.key, tool.name, input));
    }
  }

  private known(effect: string): Promise<EffectRow | null> {
    return this.database.transaction((tx) => readEffectRow(tx, effect));
  }
}

const LONGEST_TITLE = 300;
const READ_MS = 30_000;

function isElsewhere({ subject }: EffectScope, { subject: own }: OutboundBinding): boolean {
  return subject !== null && (subject.namespace !== own.namespace || subject.key !== own.key);
}

function refused(message: string): CallResult {
  return { isError: true, told: { status: 'refused', message } };
}

function unknown(effect: string): CallResult {
  const message = 'nobody knows whether it was written; do not repeat it: what became of it is being found out';
  return { isError: true, told: { status: 'unknown', effect, message } };
}

function fromPerformed(performed: Performed): CallResult {
  if (performed.is === 'confirmed')
    return { isError: false, told: { status: 'done', effect: performed.effect, ids: performed.evidence.ids } };
  if (performed.is === 'unknown') return unknown(performed.effect);
  return { isError: true, told: { status: 'failed', effect: performed.effect, message: performed.fault.message } };
}

/** What the same call came to before. */
function fromEffect({ id, state, reason, evidence_ids: ids, request }: EffectRow, wanted: Buffer): CallResult {
  if (!request.equals(wanted)) return refused('this key was used for a call with other arguments');
  if (state === 'confirmed') return { isError: false, told: { status: 'done', effect: id, ids: JSON.parse(ids ?? '{}') as unknown } };
  if (state === 'failed' || state === 'reconciled_absent')
    return { isError: true, told: { status: 'failed', effect: id, message: `it was not written: ${reason ?? 'absent'}` } };
  return unknown(id);
}

function fromApproval({ id, state, reason, result, decided_by: by }: ApprovalRow, why: string): CallResult {
  if (state === 'pending' || state === 'approved') {
    const message = `A person decides: ${why}. It is done after that, and you are told what came of it; do not wait for it and do not ask again.`;
    return { isError: false, told: { status: 'awaiting_approval', approval: id, message } };
  }
  if (state === 'executed') return { isError: false, told: { status: 'done', approval: id, ids: JSON.parse(result ?? '{}') as unknown } };
  const message = state === 'denied' ? `denied by ${by}` : (reason ?? state);
  return { isError: true, told: { status: state, approval: id, message } };
}
