import type { AuthenticEvent, Parsed, SubjectParser } from 'throughline/plugin';
import { parseAgentSession } from './agent-session-events.js';
import { parseComment } from './comment-events.js';
import { type Envelope, readEnvelope, recorded } from './envelope.js';
import { parseIssue, parseIssueSla } from './issue-events.js';
import type { LinearConnection } from './linear.options.js';
import { parseOther } from './other-events.js';

const PARSERS: ReadonlyMap<string, (envelope: Envelope, options: LinearConnection) => Parsed> = new Map([
  ['Issue', parseIssue],
  ['IssueSLA', parseIssueSla],
  ['Comment', parseComment],
  ['AgentSessionEvent', parseAgentSession],
]);

/** From a Linear webhook body to the issue that it is about, and what it says. */
export class LinearSubjects implements SubjectParser<LinearConnection> {
  parse({ payload, connection }: AuthenticEvent<LinearConnection>): Parsed {
    const envelope = readEnvelope(payload);
    if (!envelope) return recorded('invalid_shape');
    const { organizationId = envelope.organizationId } = connection.options;
    if (envelope.organizationId !== organizationId) return recorded('other_organization', envelope);
    return (PARSERS.get(envelope.type) ?? parseOther)(envelope, connection.options);
  }
}
