import { type Fields, list, word } from './json.js';

const TITLE_LENGTH = 100;

/** What the author said: the words as Slack sends them (mrkdwn, mentions as `<@U…>`), messages that they shared, names of files. */
export function textOf(message: Fields): string {
  const shared = list(message.attachments)
    .filter((attachment) => attachment.is_share === true || attachment.is_msg_unfurl === true)
    .map((attachment) => word(attachment.text) ?? word(attachment.fallback))
    .filter((text) => text !== undefined)
    .map((text) => `[shared message] ${text}`);
  const files = list(message.files).map((file) => `[file] ${word(file.name) ?? word(file.title) ?? 'without a name'}`);
  return [word(message.text), ...shared, ...files].filter((part) => part !== undefined).join('\n');
}

/** `C0001: fix it`, the place and the first words. Slack sends ids of channels, not their names. */
export function titleOf(channel: string, text: string): string {
  const words = text
    .replace(/<[^<>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return Array.from(words ? `${channel}: ${words}` : channel)
    .slice(0, TITLE_LENGTH)
    .join('');
}
