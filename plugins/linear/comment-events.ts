import type { Parsed } from 'throughline/plugin';
import { actorOf, writerOf } from './author.js';
import { type Envelope, recorded } from './envelope.js';
import { aboutIssue, readParentIssue } from './issue.js';
import { known, word } from './json.js';
import type { LinearConnection } from './linear.options.js';
import { messageKeyOf } from './message-key.js';

/** `Comment`: create, update, remove. Comments carry no workflow state, so nothing is observed. */
export function parseComment(envelope: Envelope, options: LinearConnection): Parsed {
  const { data: comment, action, updatedFrom } = envelope;
  const id = word(comment.id);
  if (!id) return recorded('invalid_shape', envelope);
  const issue = readParentIssue(comment);
  if (!issue) return recorded('not_an_issue', envelope);
  const writer = writerOf(comment, envelope, options);
  const author = action === 'create' ? writer : (actorOf(envelope, options) ?? writer);
  const about = { ...aboutIssue(envelope, issue), ...known({ author }) };
  if (action === 'remove') return { ...about, kind: 'ignored', reason: 'deleted' };
  if (action === 'update') return { ...about, kind: 'ignored', reason: Object.hasOwn(updatedFrom, 'body') ? 'edited' : 'no_text_change' };
  if (action !== 'create') return { ...about, kind: 'recorded', reason: 'unknown_event' };
  const text = word(comment.body);
  return text ? { ...about, kind: 'prompt', text, ...messageKeyOf(id) } : { ...about, kind: 'ignored', reason: 'no_text' };
}
