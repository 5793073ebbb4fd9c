import type { Author } from 'throughline/plugin';
import type { DiscordConnection } from './discord.options.js';
import { type Fields, fields, known, snowflake, word } from './json.js';

/** Who wrote a message, or nothing when it names nobody. */
export function authorOf(message: Fields, options: DiscordConnection): Author | undefined {
  const user = fields(message.author);
  const author = userOf(user, fields(message.member));
  if (author === undefined) return undefined;
  const isSelf = author.id === options.applicationId || author.id === botOf(options.token) || isOwnApplication(message, options);
  // A webhook posts under any name; its messages have its id for an author.
  const isWebhook = snowflake(message.webhook_id) !== undefined;
  const isBot = author.isBot || isSelf || isWebhook;
  return { ...author, isBot, ...(isWebhook ? { handle: null } : {}), ...(isSelf ? { isSelf } : {}) };
}

/** A user, with the roles that it has in the server where the event says them. */
export function userOf(user: Fields | undefined, member: Fields | undefined): Author | undefined {
  const id = snowflake(user?.id);
  if (id === undefined) return undefined;
  const roles = Array.isArray(member?.roles) ? member.roles.map(snowflake).filter((role) => role !== undefined) : [];
  const name = word(user?.global_name) ?? word(user?.username) ?? id;
  return { id, name, handle: handleOf(user), isBot: user?.bot === true, ...known({ roles: roles.length > 0 ? roles : undefined }) };
}

/** The username, which Discord gives to one person alone; where it still has a number behind it, it does not tell people apart. */
function handleOf(user: Fields | undefined): string | null {
  return user?.discriminator === '0' ? (word(user.username) ?? null) : null;
}

/** Of old applications the bot's user has another id than the application; the first part of its token is that id. */
export function botOf(token: string | undefined): string | undefined {
  return snowflake(Buffer.from(token?.split('.')[0] ?? '', 'base64url').toString('latin1'));
}

function isOwnApplication({ application_id: id }: Fields, { applicationId, token }: DiscordConnection): boolean {
  return snowflake(id) !== undefined && (id === applicationId || id === botOf(token));
}
