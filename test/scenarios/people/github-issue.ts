import { createHmac, randomUUID } from 'node:crypto';
import type { Call } from '../../fakes/fault-server.js';
import { type FakeIssue, GithubServer, REPOSITORY } from '../../fakes/github/github-server.js';
import { type Accepted, type Door, held, ISSUE_TITLE, type Json, type Letter, post } from './stage.js';

const SECRET = 'the secret of the webhook at github';
const MARKER = /\n\n<!-- throughline:[0-9a-f-]{36}(\.[0-9a-f]{64})? -->$/;
const MONA = { id: 1, login: 'mona', type: 'User' };
const STRANGER = { user: { id: 666, login: 'm0na', type: 'User' }, author_association: 'NONE' };

/** An issue at GitHub, whose comments are told to the server as GitHub would tell them. One account is everybody's. */
export class GithubIssue {
  private readonly toldOf = new Set<unknown>();
  private readonly issue: FakeIssue;
  private readonly opening: { readonly id: string; readonly event: Json };
  private isClosed = false;

  private constructor(
    readonly server: GithubServer,
    readonly connection: string,
    readonly number: number,
  ) {
    this.issue = server.addIssue(number, { title: ISSUE_TITLE });
    const issue = { ...this.shown(), body: 'Since yesterday some jobs never run.', user: MONA, created_at: this.issue.updatedAt };
    this.opening = { id: randomUUID(), event: server.event(number, 'opened', { issue }) };
  }

  static async start(connection: string, number: number): Promise<GithubIssue> {
    return new GithubIssue(await GithubServer.start(), connection, number);
  }

  get connections(): Record<string, object> {
    const { token, url } = this.server;
    return { [this.connection]: { plugin: 'github', source: 'private', secret: SECRET, token, apiUrl: url, rate: 'off' } };
  }

  get subject(): string {
    return `acme/api#${this.number}`;
  }

  /** The same delivery, however often it is sent. */
  open(door: Door): Promise<Accepted> {
    return post(door, this.letter('issues', this.opening.event, this.opening.id));
  }

  close(door: Door): Promise<Accepted> {
    this.isClosed = true;
    this.issue.updatedAt = new Date(Date.parse(this.issue.updatedAt) + 1000).toISOString();
    return post(door, this.letter('issues', this.server.event(this.number, 'closed', { issue: this.shown() })));
  }

  async say(door: Door, text: string): Promise<void> {
    await post(door, this.said(text));
  }

  /** A comment of the person, or of a stranger. */
  said(text: string, isStranger = false): Letter {
    const comment = this.server.say(this.number, text);
    if (isStranger) Object.assign(comment, STRANGER);
    return this.told(comment);
  }

  /** Each of our own comments twice, under an id of its own, as two webhooks of the repository would tell it. */
  async echo(door: Door): Promise<Accepted[]> {
    const answers: Accepted[] = [];
    for (const comment of this.issue.comments.filter(({ id }) => !this.toldOf.has(id)))
      for (const answer of [await post(door, this.told(comment)), await post(door, this.told(comment))])
        if (isOfTool(String(comment['body']))) answers.push(answer);
        else if (answer.reason !== 'own_message') throw new Error(`a comment of our own was ${JSON.stringify(answer)}`);
    return answers;
  }

  comments(): { readonly text: string; readonly isOurs: boolean; readonly isOfTool: boolean; readonly isEdited: boolean }[] {
    return this.issue.comments.map(({ body, created_at, updated_at }) => {
      const text = String(body);
      return {
        text: text.replace(MARKER, ''),
        isOurs: MARKER.test(text),
        isOfTool: isOfTool(text),
        isEdited: created_at !== updated_at,
      };
    });
  }

  written(): string[] {
    return this.comments().flatMap(({ text, isOfTool: isWritten }) => (isWritten ? [text] : []));
  }

  /** The write of a tool. */
  holdWrite(): Promise<void> {
    return held(this.server, (call) => isComment(call) && isOfTool(bodyOf(call)));
  }

  /** A comment of the control channel. */
  holdPost(fits: (text: string) => boolean): Promise<void> {
    return held(this.server, (call) => isComment(call) && !isOfTool(bodyOf(call)) && fits(bodyOf(call)));
  }

  private shown(): Json {
    const issue = this.server.event(this.number, '', {})['issue'] as Json;
    return { ...issue, ...(this.isClosed && { state: 'closed', state_reason: 'completed' }) };
  }

  private told(comment: Json): Letter {
    this.toldOf.add(comment['id']);
    const shown = { ...comment, html_url: `https://github.com/acme/api/issues/${this.number}#issuecomment-${comment['id']}` };
    return this.letter('issue_comment', this.server.event(this.number, 'created', { comment: shown, issue: this.shown() }));
  }

  private letter(event: string, payload: Json, id: string = randomUUID()): Letter {
    const body = JSON.stringify(payload);
    const signature = createHmac('sha256', SECRET).update(body).digest('hex');
    const headers = {
      'content-type': 'application/json',
      'x-github-event': event,
      'x-github-delivery': id,
      'x-hub-signature-256': `sha256=${signature}`,
    };
    return { connection: this.connection, headers, body };
  }
}

/** What a tool wrote has our id and no proof; what the control channel wrote has both. */
function isOfTool(text: string): boolean {
  const [, proof] = MARKER.exec(text) ?? [undefined, 'nothing'];
  return proof === undefined;
}

function isComment({ method, path }: Call): boolean {
  return method === 'POST' && new RegExp(`^/repositories/${REPOSITORY}/issues/\\d+/comments$`).test(path);
}

function bodyOf({ body }: Call): string {
  return String((JSON.parse(body) as Json)['body']);
}
