import { parseCommand, USAGE } from './actions.js';
import { isCommand } from './event-key.js';
import type { Fields } from './json.js';

/** What the author of a slash command is shown at once; null: nothing, for the host has an answer of its own. */
export function answerTo(payload: unknown): Fields | null {
  return isCommand(payload) && !parseCommand(payload) ? { response_type: 'ephemeral', text: USAGE } : null;
}
