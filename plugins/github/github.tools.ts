import { ArrayMaxSize, ArrayUnique, IsIn, IsString, Length } from 'class-validator';
import { type EffectScope, type Evidence, InvalidInput, type OutboundBinding, type OutboundTool } from 'throughline/plugin';
import { callGithub } from './github.call.js';
import { idsOfComment, idsOfLabels, idsOfReview } from './github.evidence.js';
import { marked } from './github.marker.js';
import type { GithubConnection } from './github.options.js';
import { quiet } from './github.quiet.js';
import { faultOf, Refusal } from './github.refusal.js';
import { type Numbered, numberedSubject } from './github.thread.js';

type Binding = OutboundBinding<GithubConnection>;

const LONGEST_BODY = 60_000;
const PATIENCE_MS = 60_000;
const VERDICTS = { comment: 'COMMENT', approve: 'APPROVE', request_changes: 'REQUEST_CHANGES' } as const;

export class CommentInput {
  @IsString()
  @Length(1, LONGEST_BODY, { message: `body must be Markdown of 1 to ${LONGEST_BODY} characters` })
  readonly body!: string;
}

export class ReviewInput {
  @IsIn(Object.keys(VERDICTS), { message: `verdict must be one of ${Object.keys(VERDICTS).join(', ')}` })
  readonly verdict!: keyof typeof VERDICTS;

  @IsString()
  @Length(1, LONGEST_BODY, { message: `body must be Markdown of 1 to ${LONGEST_BODY} characters` })
  readonly body!: string;
}

export class LabelsInput {
  /** All labels that it has afterwards. */
  @IsString({ each: true })
  @Length(1, 50, { each: true, message: 'labels must be names of 1 to 50 characters' })
  @ArrayUnique()
  @ArrayMaxSize(100)
  readonly labels!: readonly string[];
}

/** A comment on the conversation's own issue or pull request. */
export const comment: OutboundTool<GithubConnection, CommentInput> = {
  ...{ name: 'github_comment', input: CommentInput, isMarked: true },
  scope: (_, binding) => scopeOf('issue_comment', 'created', binding),
  execute: ({ body }, binding, key) => {
    const route = 'POST /repositories/{repository}/issues/{number}/comments';
    return write(binding, async (call) =>
      evidence(idsOfComment(binding.subject.key, await call(route, { body: marked(quiet(body), key) }))),
    );
  },
};

/** A review of the conversation's own pull request. */
export const review: OutboundTool<GithubConnection, ReviewInput> = {
  ...{ name: 'github_review', input: ReviewInput, isMarked: true },
  scope: (_, binding) => scopeOf('pull_request_review', 'submitted', binding),
  execute: ({ body, verdict }, binding, key) => {
    const values = { body: marked(quiet(body), key), event: VERDICTS[verdict] };
    const route = 'POST /repositories/{repository}/pulls/{number}/reviews';
    return write(binding, async (call) => evidence(idsOfReview(binding.subject.key, await call(route, values))));
  },
};

/** The labels of the conversation's own issue or pull request, all of them. */
export const labels: OutboundTool<GithubConnection, LabelsInput> = {
  ...{ name: 'github_labels_set', input: LabelsInput },
  scope: (_, binding) => scopeOf('labels', 'set', binding),
  execute: ({ labels: names }, binding) =>
    write(binding, async (call) => {
      await call('PUT /repositories/{repository}/issues/{number}/labels', { labels: names });
      // The answer to the write tells no revision.
      return evidence(idsOfLabels(binding.subject.key, await call('GET /repositories/{repository}/issues/{number}', {})));
    }),
};

function scopeOf(kind: string, action: string, binding: Binding): EffectScope {
  placeOf(binding);
  return { account: binding.connection.options.host, kind, action, subject: binding.subject };
}

function placeOf({ subject, connection }: Binding): Numbered {
  const place = numberedSubject(subject, connection.options.host);
  if (place === null) throw new InvalidInput('this conversation is about no issue or pull request of the connection’s GitHub');
  return place;
}

type Call = (route: string, values: Readonly<Record<string, unknown>>) => Promise<unknown>;

/** Once the first call has succeeded, a refusal of a later one says nothing about what was written. */
async function write(binding: Binding, work: (call: Call) => Promise<Evidence>): Promise<Evidence> {
  const [place, signal] = [placeOf(binding), AbortSignal.timeout(PATIENCE_MS)];
  let isWritten = false;
  try {
    return await work(async (route, values) => {
      const { data } = await callGithub('write', route, { ...place, ...values }, binding.connection, signal);
      isWritten = true;
      return data;
    });
  } catch (error) {
    if (isWritten || !(error instanceof Refusal)) throw error;
    throw faultOf(error, binding.connection.name);
  }
}

function evidence(ids: Evidence['ids'] | null): Evidence {
  if (ids === null) throw new Error('the answer of GitHub lacks the ids that its event will have');
  return { ids };
}
