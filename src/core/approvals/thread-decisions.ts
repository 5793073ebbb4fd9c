import type { Tx } from '../../database/tx.js';
import type { Author } from '../../plugin/index.js';
import type { DecisionRequest, Decisions, Decided as Told } from '../controls/decisions.js';
import { readStanding, type Standing } from '../conversations/standings.js';
import { storable } from '../storable.js';
import type { ApprovalDesk, Decided } from './approval-desk.js';

const BY_CHARACTERS = 200;
const REASON_CHARACTERS = 500;
const UNKNOWN = 'This request is not known here, or has expired.';

/** Decisions that people make in the threads of conversations. */
export class ThreadDecisions implements Decisions {
  constructor(
    private readonly desk: ApprovalDesk,
    /** By the configuration of the conversation's route and workspace. */
    private readonly mayDecide: (standing: Standing, author: Author) => boolean,
  ) {}

  async decide(tx: Tx, { org, conversation, connection, thread, approval, decision, reason, by }: DecisionRequest): Promise<Told> {
    const decided = await this.desk.decideWithin(tx, {
      ...{
        org,
        conversation,
        place: { connection, thread },
        approval,
        decision,
        by: storable(`${by.name} at ${connection}`, BY_CHARACTERS),
        person: by.id,
      },
      reason: reason === null ? null : storable(reason, REASON_CHARACTERS),
      refusal: async () => {
        const standing = await readStanding(tx, conversation);
        return standing && this.mayDecide(standing, by) ? null : `${by.name} (${by.id}) may not decide about this.`;
      },
    });
    const text = textOf(decided);
    return decided.is === 'decided' ? { text, committed: () => this.desk.tell(conversation) } : { text };
  }
}

function textOf(decided: Decided): string {
  switch (decided.is) {
    case 'unknown':
      return UNKNOWN;
    case 'refused':
      return decided.why;
    case 'decided':
      return `${decided.row.state === 'approved' ? 'Approved' : 'Denied'}: ${decided.row.title}`;
    case 'already':
      return `Already decided by ${decided.row.decided_by}: it is ${decided.row.state}.`;
    case 'gone':
      return decided.row.state === 'void'
        ? `This is void: the conversation was ${decided.row.reason}.`
        : 'This has expired: nobody decided in time.';
  }
}
