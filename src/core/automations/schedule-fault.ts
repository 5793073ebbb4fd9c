import { Cron } from 'croner';
import { isTimezone } from '../limits/day.js';
import type { SpecFaultCode } from './spec-fault.js';

/** Leap days of every weekday lie between this and 40 years later. */
const EPOCH = new Date(Date.UTC(2024, 0, 1));
const FIELDS = 5;

interface ScheduleFault {
  readonly field: 'schedule' | 'timezone';
  readonly code: SpecFaultCode;
  readonly message: string;
}

/** Why a schedule can never be kept, or null. Five fields cannot ask for more than one slot a minute. */
export function scheduleFault(schedule: string, timezone: string): ScheduleFault | null {
  if (!isTimezone(timezone))
    return { field: 'timezone', code: 'timezone_unknown', message: 'must be the IANA name of a time zone, such as `Europe/Berlin`' };
  const refused = (code: SpecFaultCode, message: string) => ({ field: 'schedule', code, message }) as const;
  const fields = schedule.trim().split(/\s+/).length;
  if (fields > FIELDS)
    return refused('interval_too_short', `has ${fields} fields, and a schedule has five: nothing starts more often than once a minute`);
  if (fields < FIELDS) return refused('schedule_invalid', 'must have five fields: minute, hour, day of month, month, day of week');
  // croner puts the present into it, so that it would mean something else at each start.
  if (schedule.includes('?')) return refused('schedule_invalid', 'must not hold `?`; write `*`');
  try {
    const next = new Cron(schedule, { mode: '5-part', paused: true, timezone }).nextRun(EPOCH);
    return next === null ? refused('schedule_impossible', 'names a time that never comes') : null;
  } catch (error) {
    return refused(
      'schedule_invalid',
      `cannot be read: ${error instanceof Error ? error.message.replace(/^CronPattern: /, '') : String(error)}`,
    );
  }
}
