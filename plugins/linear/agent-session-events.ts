import type { Author, Parsed, Subject } from 'throughline/plugin';
import { memberOf } from './author.js';
import { type Envelope, recorded } from './envelope.js';
import { aboutIssue, type Issue, readParentIssue, wordsOf } from './issue.js';
import { type Fields, fields, known, webAddress, word } from './json.js';
import { attachmentsOf } from './linear.attachments.js';
import type { LinearConnection } from './linear.options.js';
import { messageKeyOf } from './message-key.js';

interface Session {
  readonly id: string;
  readonly properties: Fields;
  readonly issue: Issue | null;
}

interface About {
  readonly subject: Subject;
  /** The session is the thread. */
  readonly thread: string;
  readonly title: string;
  readonly url?: string;
  readonly occurredAt?: string;
  readonly author?: Author;
}

/** `AgentSessionEvent`: created (the agent is mentioned or an issue delegated to it) and prompted (a person writes to the session). */
export function parseAgentSession(envelope: Envelope, options: LinearConnection): Parsed {
  const properties = fields(envelope.body.agentSession);
  const id = word(properties?.id);
  if (!properties || !id) return recorded('invalid_shape', envelope);
  const session: Session = { id, properties, issue: readParentIssue(properties) };
  const creator = memberOf(fields(properties.creator), properties.creatorId, options);
  const about: About = { ...aboutSession(envelope, session), ...known({ author: creator }) };
  if (envelope.action === 'created') return parseCreated(about, session, envelope.body.promptContext, options);
  if (envelope.action === 'prompted') return parsePrompted(about, fields(envelope.body.agentActivity), options);
  return { ...about, kind: 'recorded', reason: 'unknown_event' };
}

/** A session with an issue is that issue's conversation; one without has a conversation of its own. */
function aboutSession(envelope: Envelope, { id, properties, issue }: Session): About {
  const url = webAddress(properties.url) ?? envelope.url ?? issue?.url;
  if (issue) return { ...aboutIssue(envelope, issue), thread: id, ...known({ url }) };
  const subject = { namespace: `linear:${envelope.organizationId}:session`, key: id };
  return { subject, thread: id, title: 'Linear agent session', ...known({ url, occurredAt: envelope.occurredAt }) };
}

function parseCreated(about: About, { id, properties, issue }: Session, promptContext: unknown, options: LinearConnection): Parsed {
  const comment = fields(properties.comment);
  const said = [word(comment?.body), word(promptContext)].filter((part) => part !== undefined).join('\n\n');
  const text = said || (issue ? wordsOf(issue) : 'An agent session was started.');
  // The comment that mentions the agent arrives as a Comment event too: one message, one key.
  const key = messageKeyOf(word(properties.commentId) ?? word(comment?.id) ?? id);
  return { ...about, kind: 'prompt', text, ...attachmentsOf(text, options), ...key };
}

function parsePrompted(session: About, activity: Fields | undefined, options: LinearConnection): Parsed {
  const id = word(activity?.id);
  if (!activity || !id) return { ...session, kind: 'recorded', reason: 'invalid_shape' };
  const about = { ...session, ...known({ author: memberOf(fields(activity.user), activity.userId, options) }) };
  if (activity.signal === 'stop') return parseStop(about);
  const text = word(fields(activity.content)?.body) ?? word(activity.body);
  if (!text) return { ...about, kind: 'ignored', reason: 'no_text' };
  return { ...about, kind: 'prompt', text, ...attachmentsOf(text, options), ...messageKeyOf(word(activity.sourceCommentId) ?? id) };
}

/** A person stops the turn, not the agent's work on the issue. */
function parseStop(about: About): Parsed {
  const { author } = about;
  if (author === undefined) return { ...about, kind: 'recorded', reason: 'invalid_shape' };
  return { ...about, kind: 'action', author, action: { type: 'command', name: 'stop' } };
}
