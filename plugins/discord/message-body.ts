import { ChannelFault, type ControlButton, type ControlPost } from 'throughline/plugin';
import { customIdOf } from './custom-id.js';
import { MARKER_LENGTH, markerOf, nonceOf } from './marker.js';

const LONGEST_CONTENT = 2_000;
const LONGEST_LABEL = 80;
const MOST_BUTTONS = 5;

/** In UTF-16 units, as Discord counts; the marker has its share of the message. */
export const LONGEST_TEXT = LONGEST_CONTENT - MARKER_LENGTH;

const STYLES = { primary: 1, plain: 2, danger: 4 } as const;

/** Nobody is notified, whatever the text holds. */
export const NOBODY = { parse: [] } as const;

/** A message that is made once, however often it is tried. */
export function newMessage(post: ControlPost): object {
  return { ...changedMessage(post), nonce: nonceOf(post.key), enforce_nonce: true };
}

export function changedMessage({ text, key, buttons = [] }: ControlPost): object {
  checkText(text, LONGEST_TEXT);
  if (buttons.length > MOST_BUTTONS)
    throw new ChannelFault('refused', `the message has ${buttons.length} buttons, and a row has room for ${MOST_BUTTONS}`);
  const components = buttons.length === 0 ? [] : [{ type: 1, components: buttons.map(button) }];
  return { content: text + markerOf(key), components, allowed_mentions: NOBODY };
}

/** Throws `ChannelFault` (`refused`) for a text that Discord would not take. */
export function checkText(text: string, longest = LONGEST_CONTENT): void {
  if (text.trim() === '') throw new ChannelFault('refused', 'the message is empty, which Discord does not take');
  if (text.length > longest)
    throw new ChannelFault('refused', `the message has ${text.length} characters and may have ${longest}: it is to be cut into several`);
}

function button({ label, style, action }: ControlButton): object {
  const custom_id = customIdOf(action);
  if (custom_id === null) throw new ChannelFault('refused', `the button ${label} carries more than the 100 characters that Discord takes`);
  return { type: 2, style: STYLES[style], label: cut(label.trim() || '?'), custom_id };
}

function cut(label: string): string {
  return label.length <= LONGEST_LABEL ? label : `${label.slice(0, LONGEST_LABEL - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
