import { type Author, type Edit, type Ignored, instantRevision, type Parsed, type Recorded, type Withdrawal } from 'throughline/plugin';
import { authorOf } from './author.js';
import { attachmentsOf } from './discord.attachments.js';
import type { DiscordConnection } from './discord.options.js';
import { type Fields, known, snowflake } from './json.js';
import { isHidden, textOf, titleOf } from './message-text.js';
import { type AboutPlace, aboutPlace, messageKeyOf, placeOf } from './place.js';

/** Messages of these types were written by somebody: a message, a reply, the answers of commands. All others Discord writes itself. */
const SPOKEN: ReadonlySet<unknown> = new Set([0, 19, 20, 23, undefined]);

interface Message {
  readonly about: AboutPlace;
  readonly messageKey: string;
  readonly author: Author;
}

export function parseCreated(message: Fields, options: DiscordConnection): Parsed | undefined {
  const read = readMessage(message, message.timestamp, options);
  if (!read) return undefined;
  const { author, messageKey, about } = { ...read, about: { ...read.about, author: read.author } };
  if (!SPOKEN.has(message.type)) return { ...about, kind: 'ignored', reason: 'system_message' };
  if (author.isBot) return { ...about, kind: 'ignored', reason: reasonOfBot(author) };
  const text = textOf(message);
  if (!text) return { ...about, ...wordless(message) };
  return { ...about, ...known({ title: titleOf(text) }), kind: 'prompt', text, ...attachmentsOf(message, messageKey), messageKey };
}

export function parseEdited(message: Fields, options: DiscordConnection): Edit | Ignored | Recorded | undefined {
  const read = readMessage(message, message.edited_timestamp ?? message.timestamp, options);
  if (!read) return undefined;
  const { author, messageKey, about } = { ...read, about: { ...read.about, author: read.author } };
  // A bot that streams its words edits its own message many times a minute.
  if (author.isBot) return { ...about, kind: 'ignored', reason: reasonOfBot(author) };
  const revision = instantRevision(message.edited_timestamp);
  // Previews of links, pins and the like change a message that nobody edited.
  if (revision === null) return { ...about, kind: 'ignored', reason: 'no_text_change' };
  const text = textOf(message);
  if (!text) return { ...about, ...wordless(message) };
  return { ...about, kind: 'edit', messageKey, text, revision };
}

/** Who deleted it is not said, nor when: a moderator may have. */
export function parseDeleted(message: Fields): Withdrawal | undefined {
  const [place, id] = [placeOf(message.guild_id, message.channel_id), snowflake(message.id)];
  return place && id ? { ...aboutPlace(place, undefined), kind: 'withdrawal', messageKey: messageKeyOf(place, id) } : undefined;
}

function readMessage(message: Fields, happened: unknown, options: DiscordConnection): Message | undefined {
  const [place, id] = [placeOf(message.guild_id, message.channel_id), snowflake(message.id)];
  const author = authorOf(message, options);
  return place && id && author ? { about: aboutPlace(place, happened), messageKey: messageKeyOf(place, id), author } : undefined;
}

function reasonOfBot({ isSelf }: Author): string {
  return isSelf ? 'own_message' : 'bot_message';
}

function wordless(message: Fields): { kind: 'recorded' | 'ignored'; reason: string } {
  return isHidden(message) ? { kind: 'recorded', reason: 'message_content_intent_missing' } : { kind: 'ignored', reason: 'no_text' };
}
