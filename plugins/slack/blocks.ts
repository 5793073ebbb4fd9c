import { ChannelFault, type ControlAction, type ControlButton, type ControlPost } from 'throughline/plugin';
import type { Fields } from './json.js';
import { mrkdwn } from './mrkdwn.js';

/** Slack cuts a longer text without a word. */
const LONGEST_TEXT = 40_000;
const LONGEST_SECTION = 3_000;
/** Slack names 50 blocks as the limit, and refuses messages whose blocks together are somewhat longer than this. */
const LONGEST_BLOCKS = 12_000;
const CUT = '*The rest does not fit into a message at Slack; read all of it at `GET /v1/approvals` before you decide.*';
const LONGEST_LABEL = 75;
/** Escaping makes up to five characters of one. */
const LONGEST_PIECE = LONGEST_SECTION / 5;
export const ACTION_ID = /^throughline:[0-4]$/;

/** What `chat.postMessage` and `chat.update` are given of a post. */
export function contentOf({ text, buttons = [] }: ControlPost, longest: number): Fields {
  if (text.length > longest) throw tooLong(`${text.length} characters; a message at Slack takes ${longest} here`);
  const whole = mrkdwn(text);
  if (whole.length > LONGEST_TEXT) throw tooLong(`${whole.length} characters as Slack writes them; it takes ${LONGEST_TEXT}`);
  // An empty list takes away what an edited message had.
  return { text: whole, blocks: buttons.length === 0 ? [] : [...sections(text), actions(buttons)] };
}

/** What a person is asked is asked in any case; whoever does not see all of it is told so. */
function sections(text: string): Fields[] {
  const texts = pieces(text).map(mrkdwn);
  const fit = texts.filter((_, index) => texts.slice(0, index + 1).join('').length <= LONGEST_BLOCKS - CUT.length);
  const shown = texts.join('').length <= LONGEST_BLOCKS ? texts : [...fit, CUT];
  return shown.map((piece) => ({ type: 'section', text: { type: 'mrkdwn', text: piece, verbatim: true } }));
}

/** Parts whose notation at Slack surely fits into a section; a fence that one of them leaves open is closed, and opened again. */
function pieces(text: string): string[] {
  const done: string[] = [];
  let piece = '';
  let fenced = false;
  for (const line of text.split('\n').flatMap(shortLines)) {
    const longer = piece === '' ? line : `${piece}\n${line}`;
    if (mrkdwn(fenced ? `${longer}\n\`\`\`` : longer).length <= LONGEST_SECTION) piece = longer;
    else {
      done.push(fenced ? `${piece}\n\`\`\`` : piece);
      piece = fenced ? `\`\`\`\n${line}` : line;
    }
    if (line.trimStart().startsWith('```')) fenced = !fenced;
  }
  return [...done, piece].filter((part) => part.trim() !== '');
}

function shortLines(line: string): string[] {
  return line.length <= LONGEST_PIECE ? [line] : (line.match(new RegExp(`[^]{1,${LONGEST_PIECE - 1}}(?![\\uDC00-\\uDFFF])`, 'g')) ?? []);
}

function actions(buttons: readonly ControlButton[]): Fields {
  return {
    type: 'actions',
    elements: buttons.map(({ label, style, action }, index) => ({
      ...{ type: 'button', action_id: `throughline:${index}`, value: JSON.stringify(compact(action)) },
      text: { type: 'plain_text', text: [...label].slice(0, LONGEST_LABEL).join(''), emoji: false },
      ...(style !== 'plain' && { style }),
    })),
  };
}

/** Only what an action is made of, in one order. */
function compact(action: ControlAction): ControlAction {
  if (action.type === 'decision') {
    const { type, approval, decision, reason } = action;
    return { type, approval, decision, ...(reason !== undefined && { reason }) };
  }
  const { type, name, argument } = action;
  return { type, name, ...(argument !== undefined && { argument }) };
}

function tooLong(what: string): ChannelFault {
  return new ChannelFault('refused', `the message has ${what}`);
}
