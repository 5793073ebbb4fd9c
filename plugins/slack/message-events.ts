import type { Author, Edit, Ignored, Parsed, Withdrawal } from 'throughline/plugin';
import { authorOf } from './author.js';
import { type Fields, fields, known, timestamp } from './json.js';
import { textOf, titleOf } from './message-text.js';
import { attachmentsOf } from './slack.attachments.js';
import type { SlackConnection } from './slack.options.js';
import { type AboutThread, aboutThread, messageKeyOf, placeOf } from './thread.js';

/** Subtypes of `message` with which a person (or a bot) says something. */
const SPOKEN: ReadonlySet<unknown> = new Set([undefined, null, 'bot_message', 'file_share', 'me_message', 'thread_broadcast']);

/** Lines that Slack itself writes into a channel, or bookkeeping about messages. */
const SYSTEM: ReadonlySet<unknown> = new Set(
  `channel_archive channel_unarchive channel_join channel_leave channel_name channel_purpose channel_topic channel_convert_to_private
  channel_posting_permissions group_archive group_unarchive group_join group_leave group_name group_purpose group_topic
  assistant_app_thread bot_add bot_remove document_mention ekm_access_denied huddle_thread message_replied pinned_item unpinned_item
  reminder_add reply_broadcast tombstone`.split(/\s+/),
);

/** Types of channel where there is nobody to mention: whoever writes there writes to the app. */
const DIRECT: ReadonlySet<unknown> = new Set(['im', 'mpim', 'app_home']);

/** `app_mention` and `message` with all its subtypes; nothing when the shape is not Slack's. */
export function parseMessage(event: Fields, body: Fields, options: SlackConnection): Parsed | undefined {
  if (event.type === 'app_mention' || SPOKEN.has(event.subtype)) return parseSpoken(event, body, options);
  if (event.subtype === 'message_changed') return parseChange(event, body, options);
  if (event.subtype === 'message_deleted') return parseDeletion(event, body);
  if (SYSTEM.has(event.subtype)) return { kind: 'ignored', reason: 'system_message', subject: null };
  return { kind: 'recorded', reason: 'unknown_event', subject: null };
}

function parseSpoken(event: Fields, body: Fields, options: SlackConnection): Parsed | undefined {
  const [place, author] = [placeOf(event, event.channel, body), authorOf(event, body, options)];
  if (!place || !author) return undefined;
  const about = { ...aboutThread(place, place.ts), author };
  if (author.isBot) return { ...about, kind: 'ignored', reason: reasonOfBot(author) };
  const text = textOf(event);
  if (!text) return { ...about, kind: 'ignored', reason: 'no_text' };
  const starts = event.type === 'app_mention' || DIRECT.has(event.channel_type);
  // A reply's words are no title for the thread that it joins.
  const title = starts || place.ts === place.root ? titleOf(place.channel, text) : undefined;
  const said = { text, ...attachmentsOf(event), ...messageKeyOf(place), ...(starts ? {} : { continueOnly: true }) };
  return { ...about, ...known({ title }), kind: 'prompt', ...said };
}

function reasonOfBot({ isSelf }: Author): string {
  return isSelf ? 'own_message' : 'bot_message';
}

/** Edits by a person, link previews that Slack adds, and the tombstone of a deleted message that has replies. */
function parseChange(event: Fields, body: Fields, options: SlackConnection): Edit | Withdrawal | Ignored | undefined {
  const [message, before] = [fields(event.message), fields(event.previous_message)];
  const about = message && aboutChanged(message, event, body);
  if (!about) return undefined;
  if (message.subtype === 'tombstone') return withdrawal(about);
  const author = authorOf(message, body, options);
  const by = { ...about.about, ...known({ author }) };
  // A bot that streams its words edits its own message many times a minute.
  if (author?.isBot) return { ...by, kind: 'ignored', reason: reasonOfBot(author) };
  const [text, messageKey] = [textOf(message), about.messageKey];
  if (!text || messageKey === undefined) return { ...by, kind: 'ignored', reason: 'no_text' };
  if (before !== undefined && textOf(before) === text) return { ...by, kind: 'ignored', reason: 'no_text_change' };
  return { ...by, kind: 'edit', messageKey, text, revision: about.happened };
}

/** Who deleted it is not said: it need not be the author. */
function parseDeletion(event: Fields, body: Fields): Withdrawal | Ignored | undefined {
  const about = aboutChanged({ ...fields(event.previous_message), ts: event.deleted_ts }, event, body);
  return about && withdrawal(about);
}

function withdrawal({ about, messageKey }: Changed): Withdrawal | Ignored {
  return messageKey === undefined ? { ...about, kind: 'ignored', reason: 'deleted' } : { ...about, kind: 'withdrawal', messageKey };
}

interface Changed {
  readonly about: AboutThread;
  readonly messageKey?: string;
  /** Instant of the change; as text of one length such instants order as they follow each other. */
  readonly happened: string;
}

function aboutChanged(message: Fields, event: Fields, body: Fields): Changed | undefined {
  const [place, happened] = [placeOf(message, event.channel, body), timestamp(event.event_ts) ?? timestamp(event.ts)];
  return place && happened ? { about: aboutThread(place, happened), ...messageKeyOf(place), happened } : undefined;
}
