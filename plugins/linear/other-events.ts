import type { Parsed } from 'throughline/plugin';
import { actorOf, memberOf } from './author.js';
import { type Envelope, recorded } from './envelope.js';
import { aboutIssue, readParentIssue } from './issue.js';
import { type Fields, fields, known } from './json.js';
import type { LinearConnection } from './linear.options.js';

interface Beside {
  readonly reason: string;
  /** The object that names the issue. */
  readonly holder: (envelope: Envelope) => Fields | undefined;
}

/** Kinds that belong to an issue and never wake an agent: they add no words, or say again what another event said. */
const BESIDE_AN_ISSUE: ReadonlyMap<string, Beside> = new Map([
  ['Reaction', { reason: 'reaction', holder: ({ data }) => (readParentIssue(data) ? data : fields(data.comment)) }],
  ['Attachment', { reason: 'attachment', holder: ({ data }) => data }],
  ['CustomerNeed', { reason: 'customer_need', holder: ({ data }) => data }],
  ['AppUserNotification', { reason: 'notification', holder: ({ body }) => fields(body.notification) }],
]);

const OF_THE_WORKSPACE: ReadonlyMap<string, string> = new Map([
  ...'AuditEntry Customer Cycle Document Initiative InitiativeUpdate IssueLabel Project ProjectUpdate User'
    .split(' ')
    .map((type) => [type, 'not_an_issue'] as const),
  ['OAuthApp', 'app_revoked'],
  ['PermissionChange', 'permission_change'],
]);

/** Every type that has no parser of its own. */
export function parseOther(envelope: Envelope, options: LinearConnection): Parsed {
  const beside = BESIDE_AN_ISSUE.get(envelope.type);
  if (!beside) return recorded(OF_THE_WORKSPACE.get(envelope.type) ?? 'unknown_event', envelope);
  const holder = beside.holder(envelope);
  const issue = readParentIssue(holder);
  if (!issue) return recorded('not_an_issue', envelope);
  const author = actorOf(envelope, options) ?? memberOf(fields(holder?.actor), holder?.actorId, options);
  return { ...aboutIssue(envelope, issue), ...known({ author }), kind: 'ignored', reason: beside.reason };
}
