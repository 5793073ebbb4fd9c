import type { Author } from 'throughline/plugin';
import type { Envelope } from './envelope.js';
import { type Fields, fields, word } from './json.js';
import type { LinearConnection } from './linear.options.js';

/** Who did it, as the envelope says. */
export function actorOf({ actor }: Envelope, options: LinearConnection): Author | undefined {
  const name = word(actor?.name) ?? word(actor?.service);
  return author(actor?.id, name, actsForApp(actor), options);
}

/** Who wrote a comment: a member, a person of a synchronised tool, or an app. */
export function writerOf(comment: Fields, envelope: Envelope, options: LinearConnection): Author | undefined {
  const [user, external, bot] = [fields(comment.user), fields(comment.externalUser), botActor(comment.botActor)];
  const byApp = bot !== undefined || actsForApp(envelope.actor);
  return (
    author(comment.userId ?? user?.id, word(user?.name), byApp, options) ??
    author(external?.id ?? comment.externalUserId, word(external?.name), false, options) ??
    author(bot?.id ?? (bot ? envelope.actor?.id : undefined), word(bot?.name) ?? word(bot?.type), true, options) ??
    actorOf(envelope, options)
  );
}

/** A member of the workspace as agent sessions and notifications name one. */
export function memberOf(user: Fields | undefined, userId: unknown, options: LinearConnection): Author | undefined {
  return author(userId ?? user?.id, word(user?.name), false, options);
}

function author(id: unknown, name: string | undefined, isBot: boolean, options: LinearConnection): Author | undefined {
  const known = word(id);
  if (!known) return undefined;
  const isSelf = known === options.appUserId || known === options.oauthClientId;
  // Members choose their names.
  return { id: known, name: name ?? known, handle: null, isBot: isBot || isSelf, ...(isSelf ? { isSelf } : {}) };
}

function actsForApp(actor: Fields | undefined): boolean {
  const type = word(actor?.type);
  return type !== undefined && type.toLowerCase() !== 'user';
}

/** Linear sends `botActor` as JSON in a string. */
function botActor(value: unknown): Fields | undefined {
  if (typeof value !== 'string') return fields(value);
  try {
    return fields(JSON.parse(value));
  } catch {
    return undefined;
  }
}
