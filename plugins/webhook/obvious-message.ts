import { type Fields, fields } from 'throughline/plugin';

/** Where messages stand in most payloads, the telling places first. */
const MESSAGES = [
  ...['comment.body', 'review.body', 'issue.body', 'pull_request.body', 'discussion.body'],
  ...['event.text', 'message.text', 'text'],
];
const AUTHORS = [
  ...['comment.user.login', 'review.user.login', 'sender.login', 'issue.user.login', 'pull_request.user.login'],
  ...['event.user', 'user'],
];
const NUMBERS = ['issue.number', 'pull_request.number', 'discussion.number'];
const URLS = ['comment', 'review', 'issue', 'pull_request', 'discussion'].map((name) => `${name}.html_url`);
const SAID = ['comment.body', 'review.body'];

/** The message that a payload obviously carries, with its author and link; empty: it carries none. */
export function obviousMessage(payload: unknown, source: string, eventKey: string): string {
  const roots = rootsOf(payload);
  const found = firstOf(MESSAGES, roots, isText);
  if (found === null) return '';
  const author = firstOf(AUTHORS, roots, isText);
  const url = firstOf(URLS, roots, isText);
  const header = `${author === null ? 'Someone' : `@${author.value}`} ${deedOf(found.path, roots, source, eventKey)}:`;
  return [header, found.value, ...(url === null ? [] : [url.value])].join('\n\n');
}

function deedOf(path: string, roots: readonly Fields[], source: string, eventKey: string): string {
  const repository = firstOf(['repository.full_name'], roots, isText);
  if (repository === null) return `sent a new ${source} message (${eventKey})`;
  const number = firstOf(NUMBERS, roots, isNumber);
  const place = number === null ? repository.value : `${repository.value}#${number.value}`;
  return SAID.includes(path) ? `commented on ${place}` : `[\`${eventKey}\`] on ${place}`;
}

/** The payload, and what many senders wrap theirs in. */
function rootsOf(payload: unknown): Fields[] {
  const root = fields(payload);
  if (root === undefined) return [];
  return [root, root.payload, root.data].map(fields).filter((each) => each !== undefined);
}

/** The first of the places at which one of the roots has such a value: a telling place below counts more than a vague one above. */
function firstOf<Value>(
  paths: readonly string[],
  roots: readonly Fields[],
  is: (value: unknown) => value is Value,
): { readonly path: string; readonly value: Value } | null {
  for (const path of paths) {
    const value = roots.map((root) => at(root, path)).find(is);
    if (value !== undefined) return { path, value };
  }
  return null;
}

function at(root: Fields, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => fields(value)?.[name], root);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value);
}
