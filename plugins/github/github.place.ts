import type { Landmark, Subject } from 'throughline/plugin';
import type { EventRules } from './github.rule.js';
import { fill } from './github.sentences.js';
import { at, idAt, isObject, lineAt, linkAt } from './github.shape.js';

/** Of git, or of its SHA-256 repositories. */
const SHA = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Where an event happened: its subject, and how people name it. */
export interface Place {
  readonly subject: Subject | null;
  /** As sentences say it: `issue owner/name#12 "Title"`. */
  readonly what: string;
  readonly title: string;
  readonly url: string | null;
  /** The issue, pull request or discussion, where the payload carries it. */
  readonly thread: unknown;
  /** The head of the pull request; of a check that names none, the commit that it is about. */
  readonly landmark: Landmark | null;
}

interface Repository {
  readonly id: number;
  readonly name: string;
  readonly url: string | null;
}

/** Null: the payload has not the shape that its event must have. */
export function placeOf(host: string, rules: EventRules, payload: unknown): Place | null {
  const repository = repositoryOf(payload);
  if (repository === null || (rules.needs !== undefined && lineAt(payload, rules.needs) === null)) return null;
  switch (rules.about) {
    case 'nothing':
    case 'repository':
      return { ...repositoryPlace(repository, rules, payload), what: repository.name };
    case 'checks':
      return checksPlace(host, repository, rules, payload);
    default:
      return threadPlace(host, repository, rules, payload);
  }
}

function repositoryOf(payload: unknown): Repository | null {
  const id = idAt(payload, 'repository.id');
  if (id === null) return null;
  return { id, name: lineAt(payload, 'repository.full_name') ?? `repository ${id}`, url: linkAt(payload, 'repository.html_url') };
}

function repositoryPlace(repository: Repository, rules: EventRules, payload: unknown): Omit<Place, 'what'> {
  return {
    subject: null,
    title: titleOf(repository.name, rules, payload),
    url: linkAt(payload, 'compare') ?? repository.url,
    thread: null,
    landmark: null,
  };
}

/**
 * A check belongs to a pull request only when it names exactly one of its own repository; a commit may be the head of several. Where it names
 * none, as for a pull request from a fork and for every commit status, its commit tells.
 */
function checksPlace(host: string, repository: Repository, rules: EventRules, payload: unknown): Place | null {
  const check = at(payload, rules.source);
  if (!isObject(check)) return null;
  const numbers = pullRequestNumbers(check, repository.id);
  const [number] = numbers;
  if (number === undefined || numbers.length > 1) {
    const sha = shaAt(check, 'head_sha') ?? shaAt(payload, 'sha');
    const what = sha === null ? repository.name : `commit ${sha.slice(0, 7)} of ${repository.name}`;
    const landmark = numbers.length === 0 ? landmarkOf(host, repository.id, sha) : null;
    return { ...repositoryPlace(repository, rules, payload), what, landmark };
  }
  return {
    subject: subjectOf(host, repository.id, number),
    what: `pull request ${repository.name}#${number}`,
    title: titleOf(`${repository.name}#${number}`, rules, payload),
    url: repository.url === null ? null : `${repository.url}/pull/${number}`,
    thread: null,
    landmark: null,
  };
}

function pullRequestNumbers(check: unknown, repositoryId: number): readonly number[] {
  const named = at(check, 'pull_requests');
  if (!Array.isArray(named)) return [];
  const own = named.filter((pull) => idAt(pull, 'base.repo.id') === repositoryId).map((pull) => idAt(pull, 'number'));
  return [...new Set(own)].filter((number) => number !== null);
}

function threadPlace(host: string, repository: Repository, rules: EventRules, payload: unknown): Place | null {
  const thread = at(payload, rules.about);
  const number = idAt(thread, 'number');
  if (number === null) return null;
  const name = `${repository.name}#${number}`;
  const title = lineAt(thread, 'title');
  return {
    subject: subjectOf(host, repository.id, number),
    what: `${nounOf(rules.about, thread)} ${name}${title === null ? '' : ` "${title}"`}`,
    title: titleOf(name, rules, payload),
    url: linkAt(thread, 'html_url'),
    thread,
    landmark: landmarkOf(host, repository.id, shaAt(thread, 'head.sha')),
  };
}

/** Whichever repository the branch is in, a pull request belongs to the one that it wants to be merged into. */
function landmarkOf(host: string, repositoryId: number, sha: string | null): Landmark | null {
  return sha === null ? null : { namespace: namespaceOf(host, repositoryId), name: sha };
}

function shaAt(value: unknown, path: string): string | null {
  const found = at(value, path);
  return typeof found === 'string' && SHA.test(found) ? found : null;
}

/** The one place where a subject is made. Issues, pull requests and discussions share one sequence, so the kind is no part of it. */
export function subjectOf(host: string, repositoryId: number, number: number): Subject {
  return { namespace: namespaceOf(host, repositoryId), key: `${repositoryId}#${number}` };
}

function namespaceOf(host: string, repositoryId: number): string {
  return `github:${host}:${repositoryId}`;
}

function nounOf(about: EventRules['about'], thread: unknown): string {
  const isPullRequest = about === 'pull_request' || isObject(at(thread, 'pull_request'));
  return isPullRequest ? 'pull request' : about;
}

function titleOf(name: string, rules: EventRules, payload: unknown): string {
  const title = fill(rules.title, (path) => lineAt(payload, path), '');
  return `[${name}] ${title}`.trim();
}
