const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const;

/** A duration as configurations write it: in the largest unit that it is a whole number of, for example `30m`. */
export function durationText(ms: number): string {
  const unit = UNITS.find(([, length]) => ms >= length && ms % length === 0);
  return unit === undefined ? `${ms}ms` : `${ms / unit[1]}${unit[0]}`;
}
