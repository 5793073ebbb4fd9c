import type { Answer, Permissions } from '../core/approvals/permissions.js';
import type { Claim } from '../core/deliveries/claim.js';
import { turnId } from '../core/turns/turn.js';
import type { AgentRuntime, ApprovalRequest } from '../plugin/index.js';

export type PermissionDesk = Pick<Permissions, 'ask' | 'answers' | 'giveUp' | 'goOn' | 'answered'>;

/** What the agent of a turn waits for, by the approval that each of its requests has become. */
export class TurnRequests {
  private readonly open = new Map<string, string>();

  constructor(private readonly desk: PermissionDesk) {}

  get areOpen(): boolean {
    return this.open.size > 0;
  }

  get count(): number {
    return this.open.size;
  }

  async ask(claim: Claim, request: ApprovalRequest, how: { readonly waits: boolean; readonly rests: boolean }): Promise<void> {
    const approval = await this.desk.ask(claim, request, how);
    if (how.waits) this.open.set(approval, request.id);
  }

  /** Those that are over for the turn. */
  async over(): Promise<Answer[]> {
    const over: Answer[] = [];
    for (const answer of await this.desk.answers([...this.open.keys()]))
      if (answer.decision !== 'expired' || (await this.desk.giveUp(answer.approval))) over.push(answer);
    return over;
  }

  goOn(claim: Claim): Promise<boolean> {
    return this.desk.goOn(claim);
  }

  async tell(
    answer: Answer,
    { conversation, token }: Claim,
    runtime: AgentRuntime,
    orStopped: (told: Promise<boolean>) => Promise<boolean>,
  ): Promise<void> {
    const request = this.open.get(answer.approval);
    this.open.delete(answer.approval);
    if (request === undefined || !runtime.decide) return;
    const isTaken = await orStopped(runtime.decide(turnId(conversation, token), request, answer.decision));
    await this.desk.answered(answer, isTaken);
  }
}
