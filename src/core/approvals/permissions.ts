import type { Database } from '../../database/database.js';
import { marks, type Tx } from '../../database/tx.js';
import type { ApprovalDecision, ApprovalRequest } from '../../plugin/index.js';
import { readStanding, type Standing } from '../conversations/standings.js';
import type { Claim } from '../deliveries/claim.js';
import { turnOf } from '../deliveries/end-claims.js';
import { setResting } from '../deliveries/queues.js';
import { storable } from '../storable.js';
import { checkpoint, isOurs, stepTurn } from '../turns/turns.js';
import { bodyHash, newApprovalId, sealOf } from './approval.js';
import { type ApprovalDesk, auditApproval, type Terms, termsOf } from './approval-desk.js';
import { type ApprovalRow, findByRequest, findSame, finishApproval, markTold, type NewApproval, rebind, stopWaiting } from './approvals.js';

const TITLE_CHARACTERS = 300;
const BODY_CHARACTERS = 256 * 1024;
const REQUEST_CHARACTERS = 500;

/** What became of a request, as far as its turn has to know. */
export interface Answer {
  readonly approval: string;
  readonly decision: ApprovalDecision;
}

/** What agents ask people for while their turns run. */
export class Permissions {
  constructor(
    private readonly database: Database,
    private readonly desk: ApprovalDesk,
    private readonly key: Buffer,
    private readonly times: { readonly waitMs: number; readonly expiresMs: number },
  ) {}

  /**
   * Stored at once. `waits`: the turn is at rest from then on. A repeated turn that asks for exactly the same has the same approval, and
   * whatever was decided about it meanwhile. Throws when the claim was taken away.
   */
  async ask(
    claim: Claim,
    request: ApprovalRequest,
    { waits, rests }: { readonly waits: boolean; readonly rests: boolean },
  ): Promise<string> {
    const { conversation } = claim;
    const row = await this.database.transaction(async (tx) => {
      const standing = await readStanding(tx, conversation);
      if (standing === null || !(await isOurs(tx, claim))) throw new Error('the claim was taken away before a person was asked');
      await checkpoint(tx, turnOf(claim), null);
      if (waits && rests) await rest(tx, claim);
      const terms = await termsOf(tx, conversation, this.times.expiresMs);
      return this.put(tx, this.wantedOf(standing, claim, { asked: request, waits, terms }));
    });
    this.desk.tell(conversation);
    return row.id;
  }

  /** Those of a turn's requests that are over for it: decided, void, or waited for long enough. */
  async answers(approvals: readonly string[]): Promise<Answer[]> {
    const rows = await this.database.transaction((tx) => readAnswered(tx, approvals));
    return rows.map(({ id, state }) => ({ approval: id, decision: decisionOf(state) }));
  }

  /** The turn waits no more. False: a person has decided in this very moment, and what they said holds. */
  async giveUp(approval: string): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      const [row] = await tx.all<{ state: string }>(`select state from approvals where id = ?${tx.dialect.forUpdate}`, [approval]);
      if (row?.state === 'approved' || row?.state === 'denied') return false;
      await stopWaiting(tx, approval);
      return true;
    });
  }

  /** The turn goes on, its claim still being ours. */
  goOn(claim: Claim): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      if (!(await isOurs(tx, claim))) return false;
      await setResting(tx, claim.conversation, false);
      return stepTurn(tx, claim, 'resume');
    });
  }

  /** The agent was told. `isTaken` false: it waits for no answer any more, so that a yes begins a turn of its own. */
  async answered({ approval, decision }: Answer, isTaken: boolean): Promise<void> {
    await this.database.transaction(async (tx) => {
      if (!isTaken) return stopWaiting(tx, approval);
      if (decision !== 'approved') return markTold(tx, approval);
      if (!(await finishApproval(tx, approval, { event: 'execute', reason: null, result: null, told: true }))) return;
      const [row] = await tx.all<ApprovalRow>('select * from approvals where id = ?', [approval]);
      if (!row) return;
      await auditApproval(tx, row, 'throughline', 'execute');
      await this.desk.show(tx, row);
    });
  }

  private async put(tx: Tx, wanted: NewApproval): Promise<ApprovalRow> {
    const known = (await findByRequest(tx, wanted.conversation, wanted.request)) ?? (await findSame(tx, wanted));
    if (known === null) return this.desk.put(tx, wanted);
    await rebind(tx, known.id, wanted);
    return known;
  }

  private wantedOf(
    { org, route, ending, cleared_to: clearedTo }: Standing,
    claim: Claim,
    { asked, waits, terms }: { readonly asked: ApprovalRequest; readonly waits: boolean; readonly terms: Terms },
  ): NewApproval {
    const { conversation, token } = claim;
    const body = Buffer.from(storable(asked.body, BODY_CHARACTERS));
    const title = storable(asked.title, TITLE_CHARACTERS);
    const nothing = { source: null, provider: null, tool: null, scope: null };
    const sealed = {
      id: newApprovalId(),
      org,
      kind: 'permission',
      conversation,
      ...nothing,
      title,
      body,
      expires_at: terms.expires_at,
    } as const;
    return {
      ...sealed,
      ...{ bodyHash: bodyHash(body), seal: sealOf(this.key, sealed), ending, clearedTo, token, route },
      ...{ request: `turn:${token}:${storable(asked.id, REQUEST_CHARACTERS)}`, asked: terms.asked, created_at: terms.created_at },
      waitMs: waits ? this.times.waitMs : null,
    };
  }
}

async function rest(tx: Tx, claim: Claim): Promise<void> {
  await stepTurn(tx, claim, 'pause');
  await stepTurn(tx, claim, 'rest');
  await setResting(tx, claim.conversation, true);
}

function readAnswered(tx: Tx, ids: readonly string[]): Promise<Pick<ApprovalRow, 'id' | 'state'>[]> {
  return tx.all(
    `select id, state from approvals where id in (${marks(ids.length)}) and (state <> 'pending' or waits_until <= ${tx.dialect.now})`,
    ids,
  );
}

function decisionOf(state: ApprovalRow['state']): ApprovalDecision {
  if (state === 'approved' || state === 'executed') return 'approved';
  return state === 'denied' ? 'denied' : 'expired';
}
