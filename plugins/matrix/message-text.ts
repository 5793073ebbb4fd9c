import { type Fields, fields, word } from 'throughline/plugin';

/** What was written, without the words that a reply repeats of the message that it answers. */
export function messageTextOf(content: Fields): string | undefined {
  const body = word(content.body);
  if (body === undefined || !isReply(content)) return body;
  const lines = body.split('\n');
  const start = lines.findIndex((line) => !line.startsWith('> '));
  // Clients of today repeat nothing, and then quoted lines are the author's own.
  if (start <= 0 || !/^> (\* )?<@[^>]*>/.test(lines[0] ?? '')) return body;
  return word(lines.slice(lines[start] === '' ? start + 1 : start).join('\n'));
}

/** The message that the thread hangs on. */
export function threadOf(content: Fields): string | undefined {
  const relation = fields(content['m.relates_to']);
  return relation?.rel_type === 'm.thread' ? word(relation.event_id) : undefined;
}

function isReply(content: Fields): boolean {
  return fields(fields(content['m.relates_to'])?.['m.in_reply_to']) !== undefined;
}
