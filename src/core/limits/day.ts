const HOUR_MS = 3_600_000;

/** The date in the zone, `2026-11-30`. */
export function dayOf(at: number, timezone: string): string {
  const parts = new Intl.DateTimeFormat('en-CA', { timeZone: timezone, year: 'numeric', month: '2-digit', day: '2-digit' });
  return parts.format(at);
}

/** When the next day begins there. Days have 23 to 25 hours where clocks are changed, so it is looked for. */
export function endOfDay(at: number, timezone: string): number {
  const today = dayOf(at, timezone);
  let within = at;
  let beyond = at + 26 * HOUR_MS;
  while (beyond - within > 1) {
    const middle = Math.floor((within + beyond) / 2);
    if (dayOf(middle, timezone) === today) within = middle;
    else beyond = middle;
  }
  return beyond;
}

export function isTimezone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
