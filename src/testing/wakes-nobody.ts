import type { Parsed } from '../plugin/index.js';

/** True: whatever the routes are, no agent is woken by it. */
export function wakesNobody(parsed: Parsed | null): boolean {
  return parsed === null || parsed.kind === 'ignored' || parsed.kind === 'recorded';
}
