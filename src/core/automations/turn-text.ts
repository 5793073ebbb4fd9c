import type { RoutableEvent } from '../routing/route.js';
import { payloadAsText } from '../routing/route-text.js';
import { storable } from '../storable.js';

/** Where events carry what somebody has said, the most telling place first. */
const BODIES = ['comment.body', 'review.body', 'issue.body', 'pull_request.body', 'discussion.body', 'event.text', 'message.text', 'text'];
/** What was said there was said on something, and needs no event to be named. */
const COMMENTS: readonly string[] = ['comment.body', 'review.body'];
const AUTHORS = [
  ...['comment.user.login', 'review.user.login', 'sender.login', 'issue.user.login', 'pull_request.user.login'],
  ...['event.user', 'user'],
];
const NUMBERS = ['issue.number', 'pull_request.number', 'discussion.number'];
const LINKED = ['comment', 'review', 'issue', 'pull_request', 'discussion'];
const SHORT = 300;

/**
 * What an automation's agent is told of an event: the message that the event obviously carries, with who said it, where, and its link, in
 * a few lines instead of the whole payload; else what the plugin found; else the payload itself. Pure; never throws.
 */
export function turnText(event: RoutableEvent): string {
  const found = firstText(event.payload, BODIES);
  if (found !== null) return message(event, { ...found, author: authorOf(event), url: urlOf(event.payload, found.path) });
  const { parsed } = event;
  const own = 'text' in parsed ? parsed.text : '';
  if (own.trim() === '') return payloadAsText({ ...event, payload: event.payload ?? {} });
  return message(event, { path: '', value: own, author: authorOf(event), url: parsed.url ?? null });
}

interface Said {
  /** Where in the payload it stands; empty: the plugin found it. */
  readonly path: string;
  readonly value: string;
  readonly author: string | null;
  readonly url: string | null;
}

function message(event: RoutableEvent, { path, value, author, url }: Said): string {
  const who = author === null ? 'Someone' : `@${short(author)}`;
  const link = url === null ? '' : `\n\n${short(url)}`;
  return storable(`${who} ${did(event, path)}:\n\n${value}${link}`, Infinity);
}

function did({ payload, eventKey, source }: RoutableEvent, path: string): string {
  const repository = firstText(payload, ['repository.full_name'])?.value ?? null;
  if (repository === null) return `sent a new ${short(source)} message (${short(eventKey)})`;
  const number = firstNumber(payload);
  const place = number === null ? short(repository) : `${short(repository)}#${number}`;
  return COMMENTS.includes(path) ? `commented on ${place}` : `(\`${short(eventKey).replaceAll('`', "'")}\`) on ${place}`;
}

function authorOf({ payload, parsed }: RoutableEvent): string | null {
  return firstText(payload, AUTHORS)?.value ?? parsed.author?.name ?? null;
}

/** That of what was said, before that of what it was said about. */
function urlOf(payload: unknown, path: string): string | null {
  const [own = ''] = path.split('.');
  const places = LINKED.includes(own) ? [own, ...LINKED] : LINKED;
  return (
    firstText(
      payload,
      places.map((place) => `${place}.html_url`),
    )?.value ?? null
  );
}

/** Some senders wrap the event of another one. */
function roots(payload: unknown): unknown[] {
  const inner = at(payload, 'payload');
  return typeof inner === 'object' && inner !== null ? [payload, inner] : [payload];
}

function firstText(payload: unknown, paths: readonly string[]): { path: string; value: string } | null {
  for (const path of paths)
    for (const root of roots(payload)) {
      const value = at(root, path);
      if (typeof value === 'string' && value.trim() !== '') return { path, value };
    }
  return null;
}

function firstNumber(payload: unknown): number | null {
  for (const path of NUMBERS)
    for (const root of roots(payload)) {
      const value = at(root, path);
      if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
    }
  return null;
}

/** Only what the payload itself has: its names are anybody's. */
function at(root: unknown, path: string): unknown {
  let value = root;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}

/** On one line: what stands around a message is not to be taken for a part of it. */
function short(text: string): string {
  return storable(text.replace(/\s+/g, ' ').trim(), SHORT);
}
