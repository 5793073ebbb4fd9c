import { instantRevision, type Recorded, type Subject } from 'throughline/plugin';
import { type Fields, fields, known, webAddress, word } from './json.js';

/** What all of Linear's webhook bodies have in common. */
export interface Envelope {
  readonly type: string;
  readonly action: string;
  readonly organizationId: string;
  /** Who did it, as data changes say it: a user, an OAuth client or an integration. */
  readonly actor: Fields | undefined;
  /** The entity that changed; empty in bodies that are no data change. */
  readonly data: Fields;
  /** Names of the changed properties with their values before; empty unless the action is an update. */
  readonly updatedFrom: Fields;
  readonly url: string | undefined;
  readonly occurredAt: string | undefined;
  /** The whole body. */
  readonly body: Fields;
}

export function readEnvelope(payload: unknown): Envelope | null {
  const body = fields(payload);
  const [type, action, organizationId] = [word(body?.type), word(body?.action), word(body?.organizationId)];
  if (!body || !type || !action || !organizationId) return null;
  return {
    type,
    action,
    organizationId,
    actor: fields(body.actor),
    data: fields(body.data) ?? {},
    updatedFrom: fields(body.updatedFrom) ?? {},
    url: webAddress(body.url),
    occurredAt: instantRevision(body.createdAt) ?? undefined,
    body,
  };
}

export function issueSubject({ organizationId }: Envelope, issueId: string): Subject {
  return { namespace: `linear:${organizationId}:issue`, key: issueId };
}

/** An answer about no subject, kept for the record. */
export function recorded(reason: string, envelope?: Envelope): Recorded {
  return { kind: 'recorded', reason, subject: null, ...known({ url: envelope?.url, occurredAt: envelope?.occurredAt }) };
}
