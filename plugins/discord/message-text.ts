import { type Fields, fields, list, word } from './json.js';

const TITLE_LENGTH = 100;

/** What the author said: the words as Discord sends them (Markdown, mentions as `<@…>`), forwarded messages, names of stickers and files. */
export function textOf(message: Fields): string {
  const forwarded = list(message.message_snapshots)
    .map((snapshot) => word(fields(snapshot.message)?.content))
    .filter((text) => text !== undefined)
    .map((text) => `[forwarded message] ${text}`);
  const stickers = list(message.sticker_items).map((sticker) => `[sticker] ${word(sticker.name) ?? 'without a name'}`);
  const files = list(message.attachments).map((file) => `[file] ${word(file.filename) ?? 'without a name'}`);
  const poll = word(fields(fields(message.poll)?.question)?.text);
  const parts = [word(message.content), ...forwarded, ...(poll ? [`[poll] ${poll}`] : []), ...stickers, ...files];
  return parts.filter((part) => part !== undefined).join('\n');
}

/** The first words without mentions and emoji codes. */
export function titleOf(text: string): string | undefined {
  const words = text
    .replace(/<[^<>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return Array.from(words).slice(0, TITLE_LENGTH).join('').trim() || undefined;
}

/** True: there is nothing to see at all, which no person can send. The application lacks the intent that shows what people write. */
export function isHidden(message: Fields): boolean {
  const shown = [message.embeds, message.components, message.sticker_items, message.message_snapshots];
  return !word(message.content) && message.poll === undefined && shown.every((each) => list(each).length === 0);
}
