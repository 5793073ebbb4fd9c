import { IsString, IsUUID, Length } from 'class-validator';
import {
  type EffectReader,
  type EffectScope,
  type Evidence,
  InvalidInput,
  instantRevision,
  type OutboundBinding,
  type OutboundTool,
  ProviderFault,
  type Subject,
} from 'throughline/plugin';
import { type Fields, fields, word } from './json.js';
import { askLinear, Refusal } from './linear.client.js';
import type { LinearConnection } from './linear.options.js';

type Binding = OutboundBinding<LinearConnection>;

const LONGEST_BODY = 60_000;
const PATIENCE_MS = 30_000;
/** Linear answers within seconds; clocks differ. */
const SETTLED_MS = 5 * 60_000;

const COMMENT = 'id updatedAt issue { id }';
const STATE = 'id updatedAt state { id }';
const CREATE_COMMENT = `mutation ($input: CommentCreateInput!) { commentCreate(input: $input) { success comment { ${COMMENT} } } }`;
const SET_STATE = `mutation ($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { success issue { ${STATE} } } }`;

export class CommentInput {
  @IsString()
  @Length(1, LONGEST_BODY, { message: `body must be Markdown of 1 to ${LONGEST_BODY} characters` })
  readonly body!: string;
}

export class StateInput {
  @IsUUID(undefined, { message: 'stateId must be the UUID of a workflow state of the issue’s team' })
  readonly stateId!: string;
}

/** A comment on the conversation's own issue; its id is the host's key. */
export const comment: OutboundTool<LinearConnection, CommentInput> = {
  ...{ name: 'linear_comment', input: CommentInput, isMarked: true },
  scope: (_, { subject }) => ({ account: issueOf(subject).account, kind: 'Comment', action: 'create', subject }),
  execute: async ({ body }, binding, key) => {
    const { commentCreate } = await write(CREATE_COMMENT, { input: { id: key, issueId: issueOf(binding.subject).id, body } }, binding);
    return evidence(idsOfComment(fields(fields(commentCreate)?.comment)));
  },
};

/** The workflow state of the conversation's own issue. */
export const setState: OutboundTool<LinearConnection, StateInput> = {
  ...{ name: 'linear_set_state', input: StateInput },
  scope: (_, { subject }): EffectScope => ({ account: issueOf(subject).account, kind: 'Issue', action: 'update', subject }),
  execute: async ({ stateId }, binding) => {
    const { issueUpdate } = await write(SET_STATE, { id: issueOf(binding.subject).id, input: { stateId } }, binding);
    return evidence(idsOfState(fields(fields(issueUpdate)?.issue)));
  },
};

/** Finds a comment by the id that it was to have, and a state by how the issue stands. */
export const linearEffects: EffectReader<LinearConnection> = {
  async find({ connection, scope, tool, marker, attemptedAt, isInput }, signal): Promise<Evidence | 'absent' | 'unknown'> {
    const attempted = Date.parse(attemptedAt);
    const absent = Date.now() - attempted > SETTLED_MS ? 'absent' : 'unknown';
    if (tool === 'linear_comment' && marker !== null) {
      try {
        const found = await askLinear(
          'read',
          `query ($id: String!) { comment(id: $id) { ${COMMENT} } }`,
          { id: marker },
          connection,
          signal,
        );
        return known(idsOfComment(fields(found.comment)));
      } catch (error) {
        if (error instanceof Refusal && error.kind === 'not_found') return absent;
        throw error;
      }
    }
    if (tool !== 'linear_set_state' || scope.subject === null) return 'unknown';
    const { id } = issueOf(scope.subject);
    const issue = fields(
      (await askLinear('read', `query ($id: String!) { issue(id: $id) { ${STATE} } }`, { id }, connection, signal)).issue,
    );
    if (isInput({ stateId: fields(issue?.state)?.id })) return known(idsOfState(issue));
    // Another state is no proof: it may have been changed since, unless nothing was.
    const touched = instantRevision(issue?.updatedAt);
    return touched !== null && Date.parse(touched) < attempted - SETTLED_MS ? absent : 'unknown';
  },
};

export function issueOf({ namespace, key }: Subject): { readonly account: string; readonly id: string } {
  const account = /^linear:([^:]+):issue$/.exec(namespace)?.[1];
  if (account === undefined) throw new InvalidInput('this conversation is about no issue of Linear');
  return { account, id: key };
}

async function write(document: string, values: Fields, { connection }: Binding): Promise<Fields> {
  if (connection.options.token === undefined)
    throw new ProviderFault(`connections.${connection.name} has no \`token\`, so nothing can be written`, 'unauthorized');
  try {
    const answer = await askLinear('write', document, values, connection, AbortSignal.timeout(PATIENCE_MS));
    if (Object.values(answer).some((payload) => fields(payload)?.success === false))
      throw new Refusal('invalid', 'Linear says that it did not');
    return answer;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { kind, message, retryAfterMs } = error;
    const isPassing = kind === 'rate_limited' || kind === 'away';
    throw new ProviderFault(message, isPassing ? 'transient' : kind === 'unauthorized' ? kind : 'permanent', retryAfterMs, {
      cause: error,
    });
  }
}

function idsOfComment(written: Fields | undefined): Evidence['ids'] | null {
  const [id, issue, revision] = [word(written?.id), word(fields(written?.issue)?.id), instantRevision(written?.updatedAt)];
  return id && issue && revision ? { comment: id, issue, revision } : null;
}

function idsOfState(issue: Fields | undefined): Evidence['ids'] | null {
  const [id, state, revision] = [word(issue?.id), word(fields(issue?.state)?.id), instantRevision(issue?.updatedAt)];
  return id && state && revision ? { issue: id, state, revision } : null;
}

function evidence(ids: Evidence['ids'] | null): Evidence {
  if (ids === null) throw new Error('the answer of Linear lacks the ids that its event will have');
  return { ids };
}

function known(ids: Evidence['ids'] | null): Evidence | 'unknown' {
  return ids === null ? 'unknown' : { ids };
}
