import { createVerify, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { type Answer, type Call, FaultServer } from '../fault-server.js';

type Json = Record<string, unknown>;

export interface FakeIssue {
  title: string;
  isLocked: boolean;
  isGone: boolean;
  /** Where it was transferred to, as a path of the API. */
  movedTo: string | null;
  readonly isPullRequest: boolean;
  updatedAt: string;
  labels: Json[];
  readonly comments: Json[];
  readonly reviews: Json[];
  readonly reactions: string[];
}

export const REPOSITORY = 186853002;
const APP_ID = 29310;
const INSTALLATION = 4711;
const TOKEN = 'ghp_test';
const INSTALLATION_TOKEN = 'ghs_test';

/** A refusal as GitHub words it. */
export function refusal(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, body: { message, documentation_url: 'https://docs.github.com/rest' }, headers };
}

/** GitHub's REST API as its reference describes what the plugin calls, of one repository by its id. */
export class GithubServer extends FaultServer {
  readonly token = TOKEN;
  readonly issues = new Map<number, FakeIssue>();
  private keys: { readonly publicKey: KeyObject; readonly privateKey: string } | null = null;
  private lastId = 1000;
  private seconds = Date.parse('2026-01-01T10:00:00Z') / 1000;

  static start(): Promise<GithubServer> {
    return new GithubServer().listen();
  }

  /** What the settings of the App give. */
  get app(): { readonly id: number; readonly privateKey: string } {
    if (this.keys === null) {
      const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      this.keys = { publicKey, privateKey: privateKey.export({ type: 'pkcs1', format: 'pem' }).toString() };
    }
    return { id: APP_ID, privateKey: this.keys.privateKey };
  }

  addIssue(number: number, more: Partial<FakeIssue> = {}): FakeIssue {
    const issue: FakeIssue = {
      ...{ title: 'Repair <it>', isLocked: false, isGone: false, movedTo: null, isPullRequest: false, updatedAt: this.now() },
      ...{ labels: [], comments: [], reviews: [], reactions: [], ...more },
    };
    this.issues.set(number, issue);
    return issue;
  }

  /** Somebody comments with these words. */
  say(number: number, body: string): Json {
    const issue = this.issues.get(number);
    if (issue === undefined) throw new Error('there is no such issue');
    return this.addComment(issue, body);
  }

  /** An event about the issue, as GitHub would post it. */
  event(number: number, action: string, more: Json): Json {
    const issue = this.issues.get(number);
    const repository = { id: REPOSITORY, full_name: 'acme/api', html_url: 'https://github.com/acme/api' };
    const shown = issue && this.shown(number, issue);
    const sender = { id: 1, login: 'mona', type: 'User' };
    return { action, repository, sender, [issue?.isPullRequest ? 'pull_request' : 'issue']: shown, ...more };
  }

  protected answer(call: Call): Answer {
    const url = new URL(call.path, 'http://fake');
    const { pathname } = url;
    const refused = this.refusalOf(call, pathname);
    if (refused) return refused;
    if (pathname === `/app/installations/${INSTALLATION}/access_tokens`) {
      const expires_at = new Date(Date.now() + 3_600_000).toISOString();
      return {
        status: 201,
        body: { token: INSTALLATION_TOKEN, expires_at, permissions: { issues: 'write' }, repository_selection: 'all' },
      };
    }
    if (pathname === `/repositories/${REPOSITORY}/installation`) return { status: 200, body: { id: INSTALLATION } };
    const body = call.body === '' ? {} : (JSON.parse(call.body) as Json);
    return this.ofRepository(call.method, pathname, url.searchParams, body) ?? refusal(404, 'Not Found');
  }

  private refusalOf({ headers, method }: Call, pathname: string): Answer | null {
    const [scheme = '', credential = ''] = (headers.authorization ?? '').split(' ');
    const needsApp = pathname.startsWith('/app/') || pathname.endsWith('/installation');
    const isValid = needsApp ? this.isJwt(credential) : [TOKEN, INSTALLATION_TOKEN].includes(credential);
    if (!isValid || !/^(token|bearer)$/i.test(scheme)) return refusal(401, 'Bad credentials');
    return method !== 'GET' && headers['content-type'] === undefined && !needsApp ? refusal(415, 'Unsupported Media Type') : null;
  }

  private isJwt(token: string): boolean {
    const [head = '', claims = '', signature = ''] = token.split('.');
    if (this.keys === null || signature === '') return false;
    const { iss, exp, iat } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { iss: number; exp: number; iat: number };
    const isTimely = exp - iat <= 660 && exp * 1000 > Date.now();
    const isSigned = createVerify('RSA-SHA256').update(`${head}.${claims}`).verify(this.keys.publicKey, signature, 'base64url');
    return String(iss) === String(APP_ID) && isTimely && isSigned;
  }

  private ofRepository(method: string, pathname: string, query: URLSearchParams, body: Json): Answer | null {
    const [, kind, rest = ''] = new RegExp(`^/repositories/${REPOSITORY}/(issues|pulls)/(.+)$`).exec(pathname) ?? [];
    const [first = '', second, third] = rest.split('/');
    if (first === 'comments') return this.ofComment(method, Number(second), third, body);
    const issue = this.issues.get(Number(first));
    if (issue === undefined || (kind === 'pulls' && !issue.isPullRequest)) return null;
    if (issue.movedTo !== null) return { status: 301, body: { message: 'Moved Permanently' }, headers: { location: issue.movedTo } };
    if (issue.isGone) return refusal(410, 'This issue was deleted');
    return this.ofIssue(`${method} ${second ?? ''}`, Number(first), issue, query, body);
  }

  private ofIssue(what: string, number: number, issue: FakeIssue, query: URLSearchParams, body: Json): Answer | null {
    switch (what) {
      case 'GET ':
        return { status: 200, body: this.shown(number, issue) };
      case 'GET comments':
        return { status: 200, body: page(issue.comments, query) };
      case 'GET reviews':
        return { status: 200, body: page(issue.reviews, query) };
      case 'POST comments':
        return this.written(issue, body.body) ?? { status: 201, body: this.addComment(issue, body.body) };
      case 'POST reviews':
        return this.written(issue, body.body) ?? { status: 200, body: this.addReview(issue, body) };
      case 'PUT labels':
        issue.labels = (body.labels as string[]).map((name) => ({ id: 500 + name.length, name }));
        issue.updatedAt = this.now();
        return { status: 200, body: issue.labels };
      case 'POST reactions':
        issue.reactions.push(String(body.content));
        return { status: 201, body: { id: 1, content: body.content } };
      default:
        return null;
    }
  }

  private ofComment(method: string, id: number, what: string | undefined, body: Json): Answer | null {
    const issue = [...this.issues.values()].find(({ comments }) => comments.some((comment) => comment.id === id));
    const comment = issue?.comments.find((each) => each.id === id);
    if (issue === undefined || comment === undefined) return null;
    if (method === 'POST' && what === 'reactions') {
      issue.reactions.push(`${id} ${body.content}`);
      return { status: 201, body: { id: 1 } };
    }
    if (method !== 'PATCH') return null;
    Object.assign(comment, { body: body.body, updated_at: this.now() });
    return { status: 200, body: comment };
  }

  /** Why words cannot be written. */
  private written(issue: FakeIssue, body: unknown): Answer | null {
    if (issue.isLocked) return refusal(403, 'Unable to create comment because issue is locked.');
    if (typeof body === 'string' && body.length > 0 && body.length <= 65_536) return null;
    const errors = [
      { resource: 'IssueComment', code: 'unprocessable', field: 'data', message: 'Body is too long (maximum is 65536 characters)' },
    ];
    return { status: 422, body: { message: 'Validation Failed', errors } };
  }

  private addComment(issue: FakeIssue, body: unknown): Json {
    const at = this.now();
    // GitHub cuts white space around a comment.
    const comment = {
      id: this.lastId++,
      body: String(body).trim(),
      created_at: at,
      updated_at: at,
      user: { id: 1, login: 'mona', type: 'User' },
    };
    issue.comments.push(comment);
    issue.updatedAt = at;
    return comment;
  }

  private addReview(issue: FakeIssue, { body, event }: Json): Json {
    const state = { COMMENT: 'commented', APPROVE: 'approved', REQUEST_CHANGES: 'changes_requested' }[String(event)];
    const review = { id: this.lastId++, body, state, submitted_at: this.now(), user: { id: 1, login: 'mona', type: 'User' } };
    issue.reviews.push(review);
    return review;
  }

  private shown(number: number, { title, labels, updatedAt, isLocked }: FakeIssue): Json {
    const html_url = `https://github.com/acme/api/issues/${number}`;
    return { id: number * 10, number, title, labels, updated_at: updatedAt, locked: isLocked, state: 'open', html_url };
  }

  private now(): string {
    return new Date(this.seconds++ * 1000).toISOString().replace('.000', '');
  }
}

function page(items: readonly Json[], query: URLSearchParams): readonly Json[] {
  const size = Number(query.get('per_page') ?? 30);
  const since = query.get('since');
  const asked = since === null ? items : items.filter(({ updated_at }) => Date.parse(String(updated_at)) >= Date.parse(since));
  return asked.slice((Number(query.get('page') ?? 1) - 1) * size).slice(0, size);
}
