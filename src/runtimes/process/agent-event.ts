import { storable } from '../../core/storable.js';
import type { TurnEvent } from '../../plugin/index.js';
import type { Line } from './lines.js';

/** Characters that are shown of a line that is no event. */
const MAX_SHOWN = 2_000;
const MAX_NAME = 500;
const MAX_TOOL_INPUT = 64 * 1024;
/** More is a mistake; and a turn's sum stays a number that can be stored. */
const MOST_USD = 1_000_000;

/** Of what an agent said: nothing is known of their types. */
export type Fields = Readonly<Record<string, unknown>>;

/** The event that a line of an agent is, read field by field; null for a blank line. What is no event is kept as status. */
export function agentEvent({ text, cut }: Line): TurnEvent | null {
  if (text.trim() === '') return null;
  if (cut) return status(`${shown(text)} (a line over 1 MB was cut)`);
  return eventOf(parsed(text)) ?? status(shown(text));
}

function eventOf(fields: Fields | null): TurnEvent | null {
  switch (fields?.['type']) {
    case 'text':
    case 'status':
    case 'result':
      return typeof fields['text'] === 'string' ? { type: fields['type'], text: storable(fields['text'], Infinity) } : null;
    case 'session':
      return isName(fields['id']) ? { type: 'session', id: fields['id'] } : null;
    case 'tool':
      return isName(fields['name']) ? toolEvent(fields['name'], fields['input']) : null;
    case 'cost':
      return costEvent(fields['usd']);
    case 'approval':
      return status(
        shown(
          `the agent asks for an approval, whose answer cannot reach it (its input is closed; agents of the kind acp can ask): ${titleOf(fields)}`,
        ),
      );
    default:
      return null;
  }
}

/** A JSON object; null: the text is none. */
export function parsed(text: string): Fields | null {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return null;
  }
}

export function fieldsOf(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
}

/** The use of a tool. Input that is too large, or nested too deeply to be written again, is replaced by its size. */
export function toolEvent(name: string, input: unknown): TurnEvent {
  if (input === undefined) return { type: 'tool', name };
  try {
    const { length } = JSON.stringify(input);
    return { type: 'tool', name, input: length <= MAX_TOOL_INPUT ? input : `(${length} characters of input)` };
  } catch {
    return { type: 'tool', name, input: '(input nested too deeply)' };
  }
}

function titleOf({ title }: Fields): string {
  return typeof title === 'string' ? title : '(no title)';
}

export function isName(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && storable(value, MAX_NAME) === value;
}

export function costEvent(usd: unknown): TurnEvent | null {
  return typeof usd === 'number' && usd >= 0 && usd <= MOST_USD ? { type: 'cost', usd } : null;
}

function status(text: string): TurnEvent {
  return { type: 'status', text };
}

/** As much of a text as is shown of what is no output. */
export function shown(text: string): string {
  return storable(text, MAX_SHOWN);
}
