import type { Answer } from '../fault-server.js';
import { refusal } from './door.js';

export type Json = Record<string, unknown>;

export interface FakeIssue {
  title: string;
  isLocked: boolean;
  isGone: boolean;
  /** Where it was transferred to, as an address of the API. */
  movedTo: string | null;
  readonly isPullRequest: boolean;
  /** The commit at the head of a pull request. */
  head: string;
  state: 'open' | 'closed';
  updatedAt: string;
  labels: Json[];
  readonly comments: Json[];
  readonly reviews: Json[];
  readonly reactions: string[];
}

/** What all repositories of one GitHub have in common. */
export interface Counters {
  nextId(): number;
  now(): string;
}

export const MONA = { id: 1, login: 'mona', type: 'User' };

/** A repository with its issues and pull requests, by the paths under its id. */
export class FakeRepository {
  readonly issues = new Map<number, FakeIssue>();

  constructor(
    readonly id: number,
    public fullName: string,
    private readonly counters: Counters,
  ) {}

  get shown(): Json {
    return { id: this.id, full_name: this.fullName, html_url: `https://github.com/${this.fullName}` };
  }

  addIssue(number: number, more: Partial<FakeIssue> = {}): FakeIssue {
    const issue: FakeIssue = {
      ...{ title: 'Repair <it>', isLocked: false, isGone: false, movedTo: null, isPullRequest: false, state: 'open' },
      ...{ head: '', updatedAt: this.counters.now(), labels: [], comments: [], reviews: [], reactions: [], ...more },
    };
    this.issues.set(number, issue);
    return issue;
  }

  issue(number: number): FakeIssue {
    const issue = this.issues.get(number);
    if (issue === undefined) throw new Error(`there is no issue ${number}`);
    return issue;
  }

  answer(method: string, path: string, query: URLSearchParams, body: Json): Answer | null {
    const [, kind, rest = ''] = /^(issues|pulls)\/(.+)$/.exec(path) ?? [];
    const [first = '', second, third] = rest.split('/');
    if (first === 'comments') return this.ofComment(method, Number(second), third, body);
    const issue = this.issues.get(Number(first));
    if (issue === undefined || (kind === 'pulls' && !issue.isPullRequest)) return null;
    if (issue.movedTo !== null) return { status: 301, body: { message: 'Moved Permanently' }, headers: { location: issue.movedTo } };
    if (issue.isGone) return refusal(410, 'This issue was deleted');
    return this.ofIssue(`${method} ${second ?? ''}`, Number(first), issue, query, body);
  }

  addComment(issue: FakeIssue, body: unknown): Json {
    const at = this.counters.now();
    // GitHub cuts white space around a comment.
    const comment = {
      id: this.counters.nextId(),
      body: String(body).trim(),
      created_at: at,
      updated_at: at,
      user: MONA,
      author_association: 'OWNER',
    };
    issue.comments.push(comment);
    issue.updatedAt = at;
    return comment;
  }

  /** The issue as events and answers show it; pull requests have a head. */
  showIssue(number: number): Json {
    const { title, labels, updatedAt, isLocked, isPullRequest, head, state } = this.issue(number);
    const html_url = `https://github.com/${this.fullName}/${isPullRequest ? 'pull' : 'issues'}/${number}`;
    const own = { id: number * 10, number, title, labels, updated_at: updatedAt, locked: isLocked, state, html_url, body: null };
    return isPullRequest && head !== '' ? { ...own, head: { sha: head } } : own;
  }

  private ofIssue(what: string, number: number, issue: FakeIssue, query: URLSearchParams, body: Json): Answer | null {
    switch (what) {
      case 'GET ':
        return { status: 200, body: this.showIssue(number) };
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
        issue.updatedAt = this.counters.now();
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
    Object.assign(comment, { body: body.body, updated_at: this.counters.now() });
    return { status: 200, body: comment };
  }

  /** Why words cannot be written. */
  private written(issue: FakeIssue, body: unknown): Answer | null {
    if (issue.isLocked) return refusal(403, 'Unable to create comment because issue is locked.');
    if (typeof body === 'string' && body.length > 0 && body.length <= 65_536) return null;
    const message = 'Body is too long (maximum is 65536 characters)';
    const errors = [{ resource: 'IssueComment', code: 'unprocessable', field: 'data', message }];
    return { status: 422, body: { message: 'Validation Failed', errors } };
  }

  private addReview(issue: FakeIssue, { body, event }: Json): Json {
    const state = { COMMENT: 'commented', APPROVE: 'approved', REQUEST_CHANGES: 'changes_requested' }[String(event)];
    const review = { id: this.counters.nextId(), body, state, submitted_at: this.counters.now(), user: MONA };
    issue.reviews.push(review);
    return review;
  }
}

function page(items: readonly Json[], query: URLSearchParams): readonly Json[] {
  const size = Number(query.get('per_page') ?? 30);
  const since = query.get('since');
  const asked = since === null ? items : items.filter(({ updated_at }) => Date.parse(String(updated_at)) >= Date.parse(since));
  return asked.slice((Number(query.get('page') ?? 1) - 1) * size).slice(0, size);
}
