import { ChannelFault, type ControlButton, type ControlPost, type Fields } from 'throughline/plugin';
import { marked } from './marker.js';

/** An event may have 65,536 bytes; an edit holds its text twice, and encryption makes four bytes of three. */
export const LONGEST_TEXT = 7_000;

/** Bots write notices, which other bots leave alone. Nobody is notified, whatever the text holds. */
export function note(body: string): Fields {
  return { msgtype: 'm.notice', body, 'm.mentions': {} };
}

/** https://spec.matrix.org/v1.18/client-server-api/#threading: clients without threads show it as an answer to the root. */
export function inThread(root: string, { text, key, buttons = [] }: ControlPost): Fields {
  if (text.trim() === '') throw new ChannelFault('refused', 'the message is empty');
  if (text.length > LONGEST_TEXT)
    throw new ChannelFault(
      'refused',
      `the message has ${text.length} characters and may have ${LONGEST_TEXT}: it is to be cut into several`,
    );
  const relation = { rel_type: 'm.thread', event_id: root, is_falling_back: true, 'm.in_reply_to': { event_id: root } };
  return marked({ ...note([text, ...choices(buttons)].join('\n\n')), 'm.relates_to': relation }, key);
}

/** An edit has no place of its own: it stands where its message stands. */
export function edited(message: string, { 'm.relates_to': _, ...content }: Fields): Fields {
  const relation = { rel_type: 'm.replace', event_id: message };
  return { ...content, body: `* ${String(content.body)}`, 'm.new_content': content, 'm.relates_to': relation };
}

/** There is nothing to press in a message: what to write is said in words. */
function choices(buttons: readonly ControlButton[]): string[] {
  const lines = buttons.map(({ label, action }) => {
    const words =
      action.type === 'decision' ? `/${action.decision} ${action.approval}` : `/${action.name} ${action.argument ?? ''}`.trimEnd();
    return `• ${label}: write \`${words}\` in this thread`;
  });
  return lines.length === 0 ? [] : [lines.join('\n')];
}
