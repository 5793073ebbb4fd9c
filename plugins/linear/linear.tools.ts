import { IsString, IsUUID, Length } from 'class-validator';
import type { EffectScope, Evidence, OutboundBinding, OutboundTool } from 'throughline/plugin';
import { idsOfComment, idsOfState } from './evidence.js';
import { fields } from './json.js';
import type { LinearConnection } from './linear.options.js';
import { writeLinear } from './linear.write.js';
import { issueOf } from './linear-subject.js';
import { noteMove, stepOfMove } from './work-moves.js';

type Binding = OutboundBinding<LinearConnection>;

const LONGEST_BODY = 60_000;
const PLAN_HEADING = '**Plan**\n\n';

export const COMMENT = 'id updatedAt issue { id }';
export const STATE = 'id updatedAt state { id }';
const CREATE_COMMENT = `mutation ($input: CommentCreateInput!) { commentCreate(input: $input) { success comment { ${COMMENT} } } }`;
const SET_STATE = `mutation ($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { success issue { ${STATE} } } }`;

export class CommentInput {
  @IsString()
  @Length(1, LONGEST_BODY, { message: `body must be Markdown of 1 to ${LONGEST_BODY} characters` })
  readonly body!: string;
}

export class PlanInput {
  @IsString()
  @Length(1, LONGEST_BODY, { message: `plan must be Markdown of 1 to ${LONGEST_BODY} characters` })
  readonly plan!: string;
}

export class StateInput {
  @IsUUID(undefined, { message: 'stateId must be the UUID of a workflow state of the issue’s team' })
  readonly stateId!: string;
}

/** A comment on the conversation's own issue; its id is the host's key. */
export const comment: OutboundTool<LinearConnection, CommentInput> = {
  ...{ name: 'linear_comment', input: CommentInput, isMarked: true },
  description: 'Comments on the Linear issue of this conversation, in Markdown.',
  scope: (_, { subject }) => commentScope(subject),
  execute: ({ body }, binding, key) => createComment(body, binding, key),
};

/** What the agent means to do, for people to read on the issue before it is done. */
export const plan: OutboundTool<LinearConnection, PlanInput> = {
  ...{ name: 'linear_plan', input: PlanInput, isMarked: true },
  description: 'Puts the plan for the Linear issue of this conversation on the issue, in Markdown, for people to read before it is done.',
  scope: (_, { subject }) => commentScope(subject),
  execute: ({ plan: text }, binding, key) => createComment(PLAN_HEADING + text, binding, key),
};

/** The workflow state of the conversation's own issue. */
export const setState: OutboundTool<LinearConnection, StateInput> = {
  ...{ name: 'linear_set_state', input: StateInput },
  description: 'Moves the Linear issue of this conversation to another workflow state of its team.',
  scope: (_, { subject }): EffectScope => ({ account: issueOf(subject).account, kind: 'Issue', action: 'update', subject }),
  execute: async ({ stateId }, binding, key) => {
    const step = await stepOfMove(stateId, binding);
    const moved = await move(stateId, binding);
    await noteMove(step, binding, key);
    return moved;
  },
};

/** The same for the host itself, which no column of a board is closed to. */
export const moveIssue: OutboundTool<LinearConnection, StateInput> = {
  ...{ name: 'linear_move', input: StateInput, scope: setState.scope },
  execute: ({ stateId }, binding) => move(stateId, binding),
};

async function move(stateId: string, { connection, subject }: Binding): Promise<Evidence> {
  const { issueUpdate } = await writeLinear(SET_STATE, { id: issueOf(subject).id, input: { stateId } }, connection);
  return evidence(idsOfState(fields(fields(issueUpdate)?.issue)));
}

function commentScope(subject: Binding['subject']): EffectScope {
  return { account: issueOf(subject).account, kind: 'Comment', action: 'create', subject };
}

async function createComment(body: string, { connection, subject }: Binding, key: string): Promise<Evidence> {
  const input = { id: key, issueId: issueOf(subject).id, body };
  const { commentCreate } = await writeLinear(CREATE_COMMENT, { input }, connection);
  return evidence(idsOfComment(fields(fields(commentCreate)?.comment)));
}

function evidence(ids: Evidence['ids'] | null): Evidence {
  if (ids === null) throw new Error('the answer of Linear lacks the ids that its event will have');
  return { ids };
}
