import { storable } from '../../core/storable.js';
import type { TurnEvent } from '../../plugin/index.js';
import type { Line } from './lines.js';

/** Characters that are shown of a line that is no event. */
const MAX_SHOWN = 2_000;
const MAX_NAME = 500;
const MAX_TOOL_INPUT = 64 * 1024;
/** More is a mistake; and a turn's sum stays a number that can be stored. */
const MOST_USD = 1_000_000;

type Fields = Readonly<Record<string, unknown>>;

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
      return isName(fields['name']) ? { type: 'tool', name: fields['name'], ...toolInput(fields) } : null;
    case 'cost':
      return isAmount(fields['usd']) ? { type: 'cost', usd: fields['usd'] } : null;
    case 'approval':
      return status(shown(`the agent asks for an approval, which is not built yet: ${titleOf(fields)}`));
    default:
      return null;
  }
}

function parsed(text: string): Fields | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
  } catch {
    return null;
  }
}

/** Input that is too large, or nested too deeply to be written again, is replaced by its size. */
function toolInput(fields: Fields): { input?: unknown } {
  if (fields['input'] === undefined) return {};
  try {
    const { length } = JSON.stringify(fields['input']);
    return { input: length <= MAX_TOOL_INPUT ? fields['input'] : `(${length} characters of input)` };
  } catch {
    return { input: '(input nested too deeply)' };
  }
}

function titleOf({ title }: Fields): string {
  return typeof title === 'string' ? title : '(no title)';
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && storable(value, MAX_NAME) === value;
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= MOST_USD;
}

function status(text: string): TurnEvent {
  return { type: 'status', text };
}

function shown(text: string): string {
  return storable(text, MAX_SHOWN);
}
