import { ApprovalDesk, type Decided } from '../../../src/core/approvals/approval-desk.js';
import type { ShowApproval } from '../../../src/core/approvals/approval-post.js';
import { ApprovalRunner } from '../../../src/core/approvals/approval-runner.js';
import type { ApprovalRow } from '../../../src/core/approvals/approvals.js';
import type { BoundTool } from '../../../src/core/approvals/execute-approval.js';
import type { Permit } from '../../../src/core/approvals/outbound-policy.js';
import { readStanding, type Standing } from '../../../src/core/conversations/standings.js';
import { EffectLedger } from '../../../src/core/effects/effect-ledger.js';
import { Outbound } from '../../../src/core/effects/outbound.js';
import { type Evidence, InvalidInput, type OutboundTool } from '../../../src/plugin/index.js';
import { comment } from '../builders.js';
import { type Core, delivered } from '../core.js';

export const KEY = Buffer.alloc(32, 7);
export const HOUR = 3_600_000;

class Input {
  readonly text: string = '';
}

/** People and a provider around a core: what an agent asks for, who decides, and what was really written. */
export class Office {
  readonly written: string[] = [];
  /** What the configuration says now; tests change it. */
  permit: Permit = { is: 'approval', why: 'the route says so' };
  account = 'acme';
  isConfigured = true;
  answer: (text: string) => Promise<Evidence> = async (text) => ({ ids: { comment: `c-${text}`, issue: 'A' } });
  readonly desk: ApprovalDesk;
  readonly warnings: string[] = [];
  private runner: ApprovalRunner | null = null;

  constructor(
    readonly core: Core,
    expiresMs = HOUR,
    private readonly show: ShowApproval = async () => undefined,
  ) {
    this.desk = new ApprovalDesk(core.database, core.signals, KEY, { expiresMs }, show);
  }

  /** A conversation that was done with its first message. */
  async conversation(key = 'A'): Promise<string> {
    const { conversation } = delivered(await this.core.admit(comment(key, 'hello')));
    await this.core.finish(await this.core.claimOne());
    return conversation;
  }

  async standing(conversation: string): Promise<Standing> {
    const standing = await this.core.database.transaction((tx) => readStanding(tx, conversation));
    if (!standing) throw new Error('no conversation');
    return standing;
  }

  async ask(conversation: string, text = 'hi', request: string | null = null): Promise<ApprovalRow> {
    const standing = await this.standing(conversation);
    const subject = { namespace: standing.namespace, key: standing.key };
    return this.desk.ask({
      ...{ standing, source: 'tracker', provider: 'fake', tool: 'comment', title: `comment at ${standing.key}`, request },
      ...{ scope: { account: 'acme', kind: 'comment', action: 'create', subject }, body: Buffer.from(JSON.stringify({ text })) },
    });
  }

  decide(approval: string, decision: 'approve' | 'deny' = 'approve', by = 'ada'): Promise<Decided> {
    return this.desk.decide({ org: 'default', approval, decision, by, reason: null });
  }

  async row(id: string): Promise<ApprovalRow> {
    const [row] = await this.core.rows<ApprovalRow>('select * from approvals where id = ?', id);
    if (!row) throw new Error(`no approval ${id}`);
    return row;
  }

  async state(id: string): Promise<string> {
    const { state, reason } = await this.row(id);
    return reason === null ? state : `${state} (${reason})`;
  }

  start(outbound: Pick<Outbound, 'perform'> = this.outbound()): void {
    const { core } = this;
    const find = (standing: Standing, name: string) => (this.isConfigured && name === 'comment' && standing ? this.bound() : null);
    this.runner = new ApprovalRunner({
      ...{ database: core.database, signals: core.signals, admissions: core.admissions, outbound, owner: () => core.owner },
      ...{ execution: { key: KEY, tools: { find }, show: this.show }, warn: (message) => void this.warnings.push(message) },
    });
    this.runner.start();
  }

  async stop(): Promise<void> {
    await this.runner?.stop();
  }

  outbound(): Outbound {
    const { database, signals, owner } = this.core;
    return new Outbound(database, new EffectLedger(database, signals), KEY, () => owner, { patienceMs: 60_000 });
  }

  private bound(): BoundTool {
    const tool: OutboundTool<object, Input> = {
      ...{ name: 'comment', input: Input },
      scope: (_, { subject }) => ({ account: this.account, kind: 'comment', action: 'create', subject }),
      execute: async ({ text }) => {
        this.written.push(text);
        return this.answer(text);
      },
    };
    const read = (body: Buffer): object => {
      const given = JSON.parse(body.toString('utf8')) as { text?: unknown };
      if (typeof given.text !== 'string') throw new InvalidInput('text is missing');
      return given;
    };
    const connection = { name: 'tracker', org: 'default', source: 'public', secrets: [], options: {} } as const;
    return { provider: 'fake', connection, tool, permit: this.permit, read };
  }

  /** What agents of the conversation were told, in order. */
  async told(conversation: string): Promise<string[]> {
    const rows = await this.core.rows<{ parsed: string }>(
      "select r.parsed from deliveries d join receipts r on r.id = d.receipt where d.conversation = ? and r.source = 'approvals' order by d.sequence",
      conversation,
    );
    return rows.map(({ parsed }) => (JSON.parse(parsed) as { text: string }).text);
  }
}
