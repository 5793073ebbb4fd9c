/** Widths of the table's columns; 0: there is no room for it. */
export interface Columns {
  readonly time: number;
  readonly source: number;
  readonly about: number;
  readonly event: number;
  readonly decision: number;
  readonly conversation: number;
  readonly sequence: number;
}

export const GAP = '  ';
export const INDENT = ' ';

const NARROW = 90;
const WIDE = 130;
const LONGEST_ABOUT = 28;
const LONGEST_EVENT = 31;
const LONGEST_DECISION = 30;

/** What is left after the fixed columns is shared: what happened and what was decided first, then the conversation. */
export function columnsFor(width: number): Columns {
  const fixed = { time: width < NARROW ? 5 : 8, source: width < NARROW ? 6 : 8, sequence: 4 };
  const hasEvent = width >= WIDE;
  const gaps = (hasEvent ? 6 : 5) * GAP.length + INDENT.length;
  let room = width - 1 - gaps - fixed.time - fixed.source - fixed.sequence;
  const event = hasEvent ? LONGEST_EVENT : 0;
  room -= event;
  const about = Math.min(LONGEST_ABOUT, Math.floor(room * 0.38));
  const decision = Math.min(LONGEST_DECISION, Math.floor(room * 0.36));
  return { ...fixed, about, event, decision, conversation: room - about - decision };
}
