import {
  type Acknowledged,
  ChannelFault,
  type ChannelState,
  type Connection,
  type ControlButton,
  type ControlChannel,
  type ControlPost,
  type ControlThread,
  type WantedThread,
} from 'throughline/plugin';
import { callGithub, type Doing } from './github.call.js';
import { findComment } from './github.comments.js';
import { signed } from './github.marker.js';
import type { GithubConnection } from './github.options.js';
import { quiet } from './github.quiet.js';
import { Refusal, stepAt } from './github.refusal.js';
import { idAt, lineAt, linkAt } from './github.shape.js';
import { type Numbered, numbered, numberedSubject } from './github.thread.js';

type Github = Connection<GithubConnection>;

const LONGEST_BODY = 65_536;
const COMMENT = '/repositories/{repository}/issues/comments/{comment}';

/** Where what is acknowledged has its reactions, by the event in its message key. Reviews have none in the REST API. */
const REACTIONS: Readonly<Record<string, string>> = {
  issues: '/repositories/{repository}/issues/{number}/reactions',
  pull_request: '/repositories/{repository}/issues/{number}/reactions',
  issue_comment: `${COMMENT}/reactions`,
  pull_request_review_comment: '/repositories/{repository}/pulls/comments/{comment}/reactions',
};

/** The issue or pull request is the thread: its comments are the messages. */
export class GithubControl implements ControlChannel<GithubConnection> {
  /** GitHub takes some 500 comments and edits an hour of one account. */
  readonly limits = { title: 256, text: 60_000, editMs: 15_000 };
  /** Anybody comments in a public repository. */
  readonly insiders = ['OWNER', 'MEMBER', 'COLLABORATOR'];

  missing({ name, options }: Github): string | null {
    if (options.token !== undefined || options.app !== undefined) return null;
    return `connections.${name} needs \`token\` or \`app\` to comment; see plugins/github/README.md`;
  }

  async ensureThread({ subject }: WantedThread, connection: Github, signal: AbortSignal): Promise<ControlThread> {
    const place = numberedSubject(subject, connection.options.host);
    if (place === null) throw new ChannelFault('refused', 'this conversation is about no issue or pull request of the connection’s GitHub');
    const { data, url } = await call(
      'read',
      'GET /repositories/{repository}/issues/{number}',
      { ...place },
      connection,
      signal,
      'parent_gone',
    );
    // An issue that was transferred goes on elsewhere, and GitHub leads there.
    const [, repository = place.repository, number = place.number] = /\/repositories\/(\d+)\/issues\/(\d+)$/.exec(url) ?? [];
    const link = linkAt(data, 'html_url');
    const parent = /^https?:\/\/[^/]+\/([^/]+\/[^/]+)\//.exec(link ?? '')?.[1] ?? '';
    return {
      ...{ parent, id: `${repository}#${number}`, title: lineAt(data, 'title', this.limits.title) ?? `#${number}` },
      ...(link !== null && { url: link }),
    };
  }

  /** Issues are people's: the conversation never locks one. */
  async archive(): Promise<void> {}

  async unarchive(): Promise<void> {}

  async post(thread: ControlThread, post: ControlPost, connection: Github, signal: AbortSignal): Promise<{ readonly message: string }> {
    const values = { ...placeOf(thread), body: this.bodyOf(thread, post, connection) };
    const { data } = await call(
      'write',
      'POST /repositories/{repository}/issues/{number}/comments',
      values,
      connection,
      signal,
      'thread_gone',
    );
    const id = idAt(data, 'id');
    if (id === null) throw new Error('GitHub did not say which comment it made');
    return { message: String(id) };
  }

  async edit(thread: ControlThread, message: string, post: ControlPost, connection: Github, signal: AbortSignal): Promise<void> {
    const values = { repository: placeOf(thread).repository, comment: message, body: this.bodyOf(thread, post, connection) };
    await call('write', `PATCH ${COMMENT}`, values, connection, signal, 'message_gone');
  }

  /** An eye, which GitHub keeps once however often it is given. */
  async acknowledge({ thread, message, subject }: Acknowledged, connection: Github, signal: AbortSignal): Promise<void> {
    const [event = '', comment] = message.split(':');
    // What was said in the thread of a transferred issue was said where that is now.
    const place = thread === null ? numberedSubject(subject, connection.options.host) : numbered(thread);
    const path = Object.hasOwn(REACTIONS, event) ? REACTIONS[event] : undefined;
    if (path === undefined || place === null) return;
    try {
      await call('write', `POST ${path}`, { ...place, comment, content: 'eyes' }, connection, signal, 'message_gone');
    } catch (error) {
      if (!(error instanceof ChannelFault && error.state === 'message_gone')) throw error;
    }
  }

  async findMarker(thread: ControlThread, key: string, connection: Github, signal: AbortSignal): Promise<string | null> {
    try {
      const found = await findComment(placeOf(thread), key, null, connection, signal);
      const id = idAt(found, 'id');
      return id === null ? null : String(id);
    } catch (error) {
      throw faultOf(error, connection, 'thread_gone');
    }
  }

  private bodyOf({ id }: ControlThread, { text, key, buttons = [] }: ControlPost, { secrets }: Github): string {
    if (text.length > this.limits.text)
      throw new ChannelFault('refused', `the comment has ${text.length} characters; GitHub takes ${this.limits.text} here`);
    const words = [quiet(text), ...choices(buttons)].join('\n\n');
    const body = signed(words, key, id, secrets[0]);
    if (body.length > LONGEST_BODY)
      throw new ChannelFault('refused', `the comment has ${body.length} characters; GitHub takes ${LONGEST_BODY}`);
    return body;
  }
}

/** There is nothing to press in a comment: what to write is said in words. */
function choices(buttons: readonly ControlButton[]): string[] {
  if (buttons.length === 0) return [];
  const lines = buttons.map(({ label, action }) => {
    const words =
      action.type === 'decision' ? `/${action.decision} ${action.approval}` : `/${action.name} ${action.argument ?? ''}`.trimEnd();
    return `- **${quiet(label)}**: comment \`${words}\``;
  });
  return [lines.join('\n')];
}

function placeOf({ id }: ControlThread): Numbered {
  const place = numbered(id);
  if (place === null) throw new ChannelFault('thread_gone', `${id} is no issue or pull request`);
  return place;
}

async function call(
  doing: Doing,
  route: string,
  values: Readonly<Record<string, unknown>> & { readonly repository: number },
  connection: Github,
  signal: AbortSignal,
  gone: ChannelState,
): Promise<{ readonly data: unknown; readonly url: string }> {
  try {
    return await callGithub(doing, route, values, connection, signal);
  } catch (error) {
    throw faultOf(error, connection, gone);
  }
}

/** GitHub answers 404 also to who may not see what there is. */
function faultOf(error: unknown, { name }: Github, gone: ChannelState): unknown {
  if (!(error instanceof Refusal)) return error;
  const fault = (state: ChannelState, step: string) =>
    new ChannelFault(state, `${error.message}; ${step}`, error.retryAfterMs, { cause: error });
  if (error.status === null) return fault('unavailable', 'it is tried again');
  if (error.retryAfterMs !== null) return fault('rate_limited', `it is sent in ${Math.ceil(error.retryAfterMs / 1000)} s`);
  if (error.barrier !== null) return fault('forbidden', stepAt(error.barrier, name));
  if (error.status === 403 && /locked|archived|read-only/i.test(error.reason))
    return fault('thread_locked', 'unlock the issue or unarchive the repository, or give the account write access');
  if (error.status === 403) return fault('forbidden', 'give the token or the App the permissions Issues and Pull requests: write');
  const isGone = error.status === 404 || error.status === 410 || error.status < 400;
  if (isGone) return fault(gone, 'it was deleted or moved, or the token or App has no access to the repository');
  return fault('refused', 'it is not tried again');
}
