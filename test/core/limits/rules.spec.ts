import { describe, expect, it } from '@jest/globals';
import { dayOf, endOfDay, isTimezone } from '../../../src/core/limits/day.js';
import { allowanceOf, NO_RULES } from '../../../src/core/limits/rules.js';

const ACCOUNT = { spent_usd: 0, waived_until: null, loop_floor: 0 };

describe('the days of a budget', () => {
  it('TRN-7 are those of the zone', () => {
    const at = Date.UTC(2026, 10, 30, 23, 30);
    expect([dayOf(at, 'UTC'), dayOf(at, 'Europe/Berlin'), dayOf(at, 'America/New_York')]).toEqual([
      '2026-11-30',
      '2026-12-01',
      '2026-11-30',
    ]);
  });

  it('TRN-7 end at midnight there, also where clocks are changed', () => {
    const end = (iso: string, zone: string) => new Date(endOfDay(Date.parse(iso), zone)).toISOString();
    expect(end('2026-11-30T00:00:00.000Z', 'UTC')).toBe('2026-12-01T00:00:00.000Z');
    expect(end('2026-03-29T00:30:00.000Z', 'Europe/Berlin')).toBe('2026-03-29T22:00:00.000Z');
    expect(end('2026-10-24T22:00:00.000Z', 'Europe/Berlin')).toBe('2026-10-25T23:00:00.000Z');
  });

  it('TRN-7 zones have names of the IANA', () => {
    expect([isTimezone('Asia/Kathmandu'), isTimezone('Mars/Olympus')]).toEqual([true, false]);
  });
});

describe('what a turn may cost', () => {
  const today = { spentUsd: 8, endsAt: 500, now: 100 };

  it('TRN-7 is the least that any limit leaves, and says which', () => {
    expect(allowanceOf(NO_RULES, ACCOUNT, today)).toBeNull();
    const rules = { ...NO_RULES, usdPerTurn: 3, usdPerConversation: 5, usdPerDay: 10 };
    expect(allowanceOf(rules, ACCOUNT, today)).toEqual({ usd: 2, limit: 'day', cap: 10, until: 500 });
    expect(allowanceOf(rules, { ...ACCOUNT, spent_usd: 4 }, today)).toEqual({ usd: 1, limit: 'conversation', cap: 5, until: null });
  });

  it('TRN-7 heeds no budget of the day that an operator has waived until later', () => {
    const rules = { ...NO_RULES, usdPerTurn: 3, usdPerDay: 10 };
    expect(allowanceOf(rules, { ...ACCOUNT, waived_until: 500 }, today)).toMatchObject({ limit: 'turn' });
    expect(allowanceOf(rules, { ...ACCOUNT, waived_until: 100 }, today)).toMatchObject({ limit: 'day' });
  });
});
