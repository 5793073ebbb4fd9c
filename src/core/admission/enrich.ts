import type { Amendment } from '../deliveries/deliveries.js';
import type { Message } from './locked.js';
import type { PlannedMatch } from './plan-admission.js';

/**
 * What the second event about a message adds to its delivery; null: nothing. A mention that wakes counts for more than the plain message:
 * its route then speaks for it. Of two texts the one that says all of the other and more is kept.
 */
export function enriched(message: Message, match: PlannedMatch, text: string): Amendment | null {
  const { state, waking, route, trust, textRevision } = message;
  if (state === 'completed') return null;
  const wakes = match.waking && !waking;
  // What an agent is working on is not exchanged under its hands.
  if (state === 'claimed') return wakes ? { waking: true, route, trust, text: message.text, textRevision } : null;
  const isFuller = textRevision === null && text.length > message.text.length && text.includes(message.text);
  if (!wakes && !isFuller) return null;
  return {
    waking: waking || match.waking,
    route: wakes ? match.route : route,
    trust: match.trust === 'untrusted' ? match.trust : trust,
    text: textRevision === null && (wakes || isFuller) ? text : message.text,
    textRevision,
  };
}
