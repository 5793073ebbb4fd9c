import { instantRevision, type Parsed } from 'throughline/plugin';
import { actorOf, writerOf } from './author.js';
import { type Envelope, recorded } from './envelope.js';
import { evidenceOfComment } from './evidence.js';
import { aboutIssue, readParentIssue } from './issue.js';
import { known, word } from './json.js';
import { attachmentsOf } from './linear.attachments.js';
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
  const { messageKey } = messageKeyOf(id);
  const text = word(comment.body);
  switch (action) {
    case 'create':
      return text
        ? {
            ...about,
            kind: 'prompt',
            text,
            ...attachmentsOf(text, options),
            ...known({ messageKey }),
            ...evidenceOfComment(envelope, comment, issue),
          }
        : { ...about, kind: 'ignored', reason: 'no_text' };
    case 'update':
      if (!Object.hasOwn(updatedFrom, 'body')) return { ...about, kind: 'ignored', reason: 'no_text_change' };
      if (!messageKey || !text) return { ...about, kind: 'ignored', reason: 'edited' };
      return { ...about, kind: 'edit', messageKey, text, revision: instantRevision(comment.updatedAt) };
    case 'remove':
      return messageKey ? { ...about, kind: 'withdrawal', messageKey } : { ...about, kind: 'ignored', reason: 'deleted' };
    default:
      return { ...about, kind: 'recorded', reason: 'unknown_event' };
  }
}
