import { type Answer, type Call, FaultServer } from '../fault-server.js';
import { Door, refusal } from './door.js';
import { Hook } from './hook.js';
import { type FakeIssue, FakeRepository, type Json, MONA } from './repository.js';

export { refusal } from './door.js';
export type { FakeIssue } from './repository.js';

export const REPOSITORY = 186853002;

/** GitHub's REST API as its reference describes what the plugin calls, and one webhook of it. */
export class GithubServer extends FaultServer {
  readonly door = new Door();
  readonly hook = new Hook('a secret of the webhook', () => this.door.now());
  readonly repositories = new Map<number, FakeRepository>();
  readonly repository = this.addRepository(REPOSITORY, 'acme/api');
  private lastId = 1000;
  private seconds = Date.parse('2026-01-01T10:00:00Z') / 1000;

  static start(): Promise<GithubServer> {
    return new GithubServer().listen();
  }

  get token(): string {
    return this.door.token;
  }

  get app(): Door['app'] {
    return this.door.app;
  }

  get issues(): Map<number, FakeIssue> {
    return this.repository.issues;
  }

  addRepository(id: number, fullName: string): FakeRepository {
    const repository = new FakeRepository(id, fullName, { nextId: () => this.lastId++, now: () => this.now() });
    this.repositories.set(id, repository);
    return repository;
  }

  addIssue(number: number, more: Partial<FakeIssue> = {}): FakeIssue {
    return this.repository.addIssue(number, more);
  }

  /** Somebody comments with these words. */
  say(number: number, body: string, repository = this.repository): Json {
    return repository.addComment(repository.issue(number), body);
  }

  /** An event about the issue or pull request, as GitHub would post it. */
  event(number: number, action: string, more: Json, repository = this.repository): Json {
    const issue = repository.issues.get(number);
    const shown = issue && repository.showIssue(number);
    return { action, repository: repository.shown, sender: MONA, [issue?.isPullRequest ? 'pull_request' : 'issue']: shown, ...more };
  }

  /** Something happens to it now. */
  touch(number: number, repository = this.repository): void {
    repository.issue(number).updatedAt = this.now();
  }

  protected answer(call: Call): Answer {
    const date = new Date(this.door.now()).toUTCString();
    const { headers, ...answer } = this.answerTo(call);
    return { ...answer, headers: { date, ...headers } };
  }

  private answerTo(call: Call): Answer {
    const { pathname, searchParams } = new URL(call.path, 'http://fake');
    const refused = this.door.refuse(call, pathname);
    if (refused !== null) return refused;
    const known = this.door.answer(pathname);
    if (known !== null) return known;
    const [, hook, rest = ''] = /^(\/app\/hook|\/(?:repos|orgs)\/.+\/hooks\/\d+)\/deliveries(\/\d+)?$/.exec(pathname) ?? [];
    if (hook !== undefined) return this.hook.answer(rest, searchParams, this.url, pathname);
    if (call.method !== 'GET' && call.headers['content-type'] === undefined) return refusal(415, 'Unsupported Media Type');
    const [, repository, path = ''] = /^\/repositories\/(\d+)\/(.+)$/.exec(pathname) ?? [];
    const body = call.body === '' ? {} : (JSON.parse(call.body) as Json);
    const found = this.repositories.get(Number(repository))?.answer(call.method, path, searchParams, body);
    return found ?? refusal(404, 'Not Found');
  }

  private now(): string {
    return new Date(this.seconds++ * 1000).toISOString().replace('.000', '');
  }
}
