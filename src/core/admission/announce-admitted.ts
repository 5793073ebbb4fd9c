import type { Signals } from '../signals.js';
import type { Admitted } from './admit-events.js';

/** After the commit: whoever waits for any of it looks. */
export function announceAdmitted(signals: Signals, admitted: Admitted): void {
  const { answers, fenced, settled, steered, refused, conflicts } = admitted;
  if (conflicts > 0) signals.emit('conflicts', conflicts);
  if (refused.length > 0) signals.emit('refused', refused);
  if (fenced.length > 0) signals.emit('fenced', fenced);
  if (steered.length > 0) signals.emit('steered', steered);
  if (admitted.isReady) signals.emit('ready');
  if (admitted.hasJobs) signals.emit('jobs');
  if (admitted.hasErrands) signals.emit('errands');
  if (admitted.hasRuns) signals.emit('runs');
  for (const conversation of settled) signals.emit('activity', conversation);
  for (const { conversation } of answers.flatMap(({ duplicate, deliveries }) => (duplicate ? [] : deliveries)))
    signals.emit('activity', conversation);
}
