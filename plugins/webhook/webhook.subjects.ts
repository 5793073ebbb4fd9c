import { type AuthenticEvent, isTruthy, type Observation, type Parsed, type SubjectParser } from 'throughline/plugin';
import { type Mapping, mappingOf, UNKNOWN_EVENT } from './mapping.js';
import { obviousMessage } from './obvious-message.js';
import { instantOf, personOf, scalarText, webUrl, word } from './values.js';
import type { WebhookConnection } from './webhook.options.js';

type Event = AuthenticEvent<WebhookConnection>;

/** From a payload to what it is about and says, as the connection's expressions put it. */
export class MappedSubjects implements SubjectParser<WebhookConnection> {
  parse(event: Event): Parsed {
    const { connection, eventKey, payload } = event;
    const mapping = mappingOf(connection.options);
    if (eventKey === UNKNOWN_EVENT && mapping.namesEvents) return { kind: 'recorded', reason: 'unknown_event', subject: null };
    const about = aboutOf(event, mapping);
    const isEnd = isTruthy(mapping.value('terminal', payload));
    if (isEnd && about.subject === null) return { ...about, kind: 'recorded', reason: 'no_subject' };
    if (isEnd) return { ...about, kind: 'lifecycle', observation: endOf(payload, mapping) };
    const messageKey = mapping.text('messageKey', payload);
    return {
      ...about,
      kind: 'prompt',
      text: textOf(event, mapping),
      ...(messageKey !== null && { messageKey }),
      ...(isTruthy(mapping.value('open', payload)) && { observation: beginningOf(payload, mapping) }),
    };
  }
}

function aboutOf({ connection, payload }: Event, mapping: Mapping) {
  const key = mapping.text('subject', payload);
  const title = mapping.text('title', payload);
  const url = webUrl(mapping.value('url', payload));
  const author = personOf(mapping.value('author', payload));
  const occurredAt = instantOf(mapping.value('occurredAt', payload));
  return {
    subject: key === null ? null : { namespace: connection.options.namespace ?? `webhook:${connection.name}`, key },
    ...(title !== null && { title }),
    ...(url !== null && { url }),
    ...(author !== null && { author }),
    ...(occurredAt !== null && { occurredAt }),
  };
}

/** Empty where the payload has no message: the host then shows the payload itself. */
function textOf({ connection, eventKey, payload }: Event, mapping: Mapping): string {
  const text = mapping.text('text', payload)?.trim();
  return text ?? obviousMessage(payload, connection.name, eventKey);
}

function endOf(payload: unknown, mapping: Mapping): Observation {
  const reason = word(mapping.value('reason', payload)) ?? 'closed';
  return { state: 'terminal', reason, revision: revisionOf(payload, mapping), transition: true };
}

function beginningOf(payload: unknown, mapping: Mapping): Observation {
  return { state: 'open', revision: revisionOf(payload, mapping), transition: true };
}

/** What looks like an instant is compared as one, everything else as text. */
function revisionOf(payload: unknown, mapping: Mapping): string | null {
  const value = mapping.value('revision', payload) ?? mapping.value('occurredAt', payload);
  return instantOf(value) ?? scalarText(value);
}
