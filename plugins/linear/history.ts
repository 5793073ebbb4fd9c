import type { ProviderEvent } from 'throughline/plugin';
import { RECONCILE } from './issue-events.js';
import { type Fields, fields, known, word } from './json.js';

/** Whose history it is, as the API says. */
export interface Teller {
  readonly organizationId: string;
}

/** How an issue was found to be; once for each revision of it. */
export function reconciled(issue: Fields, teller: Teller): ProviderEvent {
  const id = `reconcile:${word(issue.id)}:${word(issue.updatedAt)}:${word(issue.archivedAt) ?? ''}`;
  return event('Issue', RECONCILE, id, issue.updatedAt, withIds(issue), { issue, teller });
}

/** That an issue was created, as its webhook would have said it if it looked then as it does now. */
export function created(issue: Fields, teller: Teller): ProviderEvent {
  return event('Issue', 'create', `issue:${word(issue.id)}`, issue.createdAt, withIds(issue), { issue, teller, actor: issue.creator });
}

/** That a comment was written, as its webhook would have said it. */
export function commented(comment: Fields, teller: Teller): ProviderEvent {
  const { user, externalUser, botActor } = comment;
  const ids = { issueId: fields(comment.issue)?.id, userId: fields(user)?.id, externalUserId: fields(externalUser)?.id };
  const actor = fields(user) ?? fields(externalUser) ?? fields(botActor);
  return event(
    'Comment',
    'create',
    `comment:${word(comment.id)}`,
    comment.createdAt,
    { ...comment, ...ids },
    { issue: comment, teller, actor },
  );
}

interface About {
  /** What has the address. */
  readonly issue: Fields;
  readonly teller: Teller;
  readonly actor?: unknown;
}

function event(
  type: string,
  action: string,
  deliveryId: string,
  createdAt: unknown,
  data: Fields,
  { issue, teller, actor }: About,
): ProviderEvent {
  const { organizationId } = teller;
  const payload = { type, action, organizationId, createdAt, ...known({ actor: actor ?? undefined, url: word(issue.url) }), data };
  return { deliveryId, eventKey: `${type}.${action}`, payload };
}

/** Webhooks name what belongs to an issue by ids beside it. */
function withIds(issue: Fields): Fields {
  const idOf = (name: string) => word(fields(issue[name])?.id);
  return { ...issue, ...known({ stateId: idOf('state'), teamId: idOf('team'), projectId: idOf('project'), creatorId: idOf('creator') }) };
}
