import { instantRevision, type Subject } from 'throughline/plugin';
import { type Envelope, issueSubject } from './envelope.js';
import { type Fields, fields, known, webAddress, word } from './json.js';

const TITLE_LENGTH = 100;

/** Linear's issue, as far as a payload tells it. */
export interface Issue {
  readonly id: string;
  readonly identifier: string | undefined;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly url: string | undefined;
  readonly state: WorkflowState | undefined;
  readonly trashed: boolean;
  readonly archivedAt: string | undefined;
  readonly updatedAt: string | undefined;
  /** All of its properties, for telling what changed. */
  readonly properties: Fields;
}

export interface WorkflowState {
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly type: string | undefined;
}

/** Reads an issue from the object that holds it; properties that are missing there are looked for in its own `issue`. */
export function readIssue(holder: Fields | undefined): Issue | null {
  const outer = holder ?? {};
  const inner = fields(outer.issue) ?? {};
  const id = word(outer.id) ?? word(inner.id);
  if (!id) return null;
  return {
    id,
    identifier: word(outer.identifier) ?? word(inner.identifier),
    title: word(outer.title) ?? word(inner.title),
    description: word(outer.description) ?? word(inner.description),
    url: webAddress(outer.url) ?? webAddress(inner.url),
    state: readState(outer.state) ?? readState(inner.state),
    trashed: (outer.trashed ?? inner.trashed) === true,
    archivedAt: instantRevision(outer.archivedAt ?? inner.archivedAt) ?? undefined,
    updatedAt: instantRevision(outer.updatedAt ?? inner.updatedAt) ?? undefined,
    properties: { ...inner, ...outer },
  };
}

/** The issue that something else (a comment, a reaction, an agent session) belongs to: `issueId`, with what `issue` says of it. */
export function readParentIssue(child: Fields | undefined): Issue | null {
  const issue = fields(child?.issue) ?? {};
  return readIssue({ ...issue, id: child?.issueId ?? issue.id });
}

function readState(value: unknown): WorkflowState | undefined {
  const state = fields(value);
  const [id, name, type] = [word(state?.id), word(state?.name), word(state?.type)];
  return id || name || type ? { id, name, type } : undefined;
}

/** What every event about an issue says of it. */
export interface AboutIssue {
  readonly subject: Subject;
  readonly title: string;
  readonly url?: string;
  readonly occurredAt?: string;
}

export function aboutIssue(envelope: Envelope, issue: Issue): AboutIssue {
  return {
    subject: issueSubject(envelope, issue.id),
    title: titleOf(issue, envelope.url),
    ...known({ url: envelope.url ?? issue.url, occurredAt: envelope.occurredAt }),
  };
}

/** What whoever wrote the issue said. */
export function wordsOf({ title, description }: Issue): string {
  return [title, description].filter((part) => part !== undefined).join('\n\n') || 'An issue without a title.';
}

/** `[PYN-123] Repair scheduler`, or as much of it as is known. */
function titleOf({ identifier, title, url }: Issue, eventUrl: string | undefined): string {
  const shortName = identifier ?? /\/issue\/([A-Za-z0-9]+-\d+)/.exec(url ?? eventUrl ?? '')?.[1];
  const text = shortName ? `[${shortName}] ${title ?? 'Linear issue'}` : title ? `Linear | ${title}` : 'Linear issue';
  return Array.from(text).slice(0, TITLE_LENGTH).join('');
}
