import type { Tx } from '../../database/tx.js';
import type { Author } from '../../plugin/index.js';
import type { DecisionRequest, Decisions, Decided as Told, Wanting } from '../controls/decisions.js';
import { readStanding, type Standing } from '../conversations/standings.js';
import { storable } from '../storable.js';
import type { ApprovalDesk, Decided } from './approval-desk.js';
import { type Deciders, mayCommand, mayDecide } from './may-decide.js';

const BY_CHARACTERS = 200;
const REASON_CHARACTERS = 500;
const UNKNOWN = 'This request is not known here, or has expired.';

/** Decisions that people make in the threads of conversations. */
export class ThreadDecisions implements Decisions {
  constructor(
    private readonly desk: ApprovalDesk,
    /** By the conversation's route and workspace, and the connection of the thread. */
    private readonly decidersOf: (standing: Standing, connection: string) => Deciders,
  ) {}

  async refusal(tx: Tx, { conversation, connection, by }: Wanting): Promise<string | null> {
    const standing = await readStanding(tx, conversation);
    return standing && mayCommand(this.decidersOf(standing, connection), by) ? null : `${described(by)} may not do that here.`;
  }

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
        return standing && mayDecide(this.decidersOf(standing, connection), by) ? null : `${described(by)} may not decide about this.`;
      },
    });
    const text = textOf(decided);
    return decided.is === 'decided' ? { text, committed: () => this.desk.tell(conversation) } : { text };
  }
}

/** With what the configuration would have to name. */
function described({ name, id }: Author): string {
  return `${name} (${id})`;
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
