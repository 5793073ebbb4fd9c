import { describe, expect, it } from '@jest/globals';
import { dueSlots, MOST_MISSED, nextSlot } from '../../../src/core/schedules/slots.js';

const at = (iso: string) => Date.parse(iso);
const slotsAfter = (schedule: string, timezone: string, from: string, count: number) => {
  const slots: string[] = [];
  for (let slot = nextSlot({ schedule, timezone }, at(from)); slot !== null && slots.length < count; ) {
    slots.push(new Date(slot).toISOString().slice(0, 16));
    slot = nextSlot({ schedule, timezone }, slot);
  }
  return slots;
};

describe('slots of a schedule', () => {
  it.each([
    ['Europe/Berlin', '30 2 * * *', '2026-03-28T12:00:00Z', ['2026-03-29T01:00', '2026-03-30T00:30']],
    ['America/New_York', '30 2 * * *', '2026-03-07T12:00:00Z', ['2026-03-08T07:00', '2026-03-09T06:30']],
    ['America/Santiago', '30 0 * * *', '2026-09-05T12:00:00Z', ['2026-09-06T04:00', '2026-09-07T03:30']],
    ['Australia/Lord_Howe', '15 2 * * *', '2026-10-03T00:00:00Z', ['2026-10-03T15:30', '2026-10-04T15:15']],
  ])('AUT-8 a time that a clock of %s leaves out comes right after, once', (timezone, schedule, from, slots) => {
    expect(slotsAfter(schedule, timezone, from, 2)).toEqual(slots);
  });

  it.each([
    ['Europe/Berlin', '30 2 * * *', '2026-10-24T12:00:00Z', ['2026-10-25T00:30', '2026-10-26T01:30']],
    ['America/New_York', '30 1 * * *', '2026-10-31T12:00:00Z', ['2026-11-01T05:30', '2026-11-02T06:30']],
    ['America/Santiago', '30 23 * * *', '2026-04-04T12:00:00Z', ['2026-04-05T02:30', '2026-04-06T03:30']],
    ['Australia/Lord_Howe', '45 1 * * *', '2026-04-04T00:00:00Z', ['2026-04-04T14:45', '2026-04-05T15:15']],
  ])('AUT-8 a time that a clock of %s shows twice comes once', (timezone, schedule, from, slots) => {
    expect(slotsAfter(schedule, timezone, from, 2)).toEqual(slots);
  });

  it('a time that never comes again has no next slot', () => {
    expect(nextSlot({ schedule: '0 0 30 2 *', timezone: 'UTC' }, at('2026-01-01T00:00:00Z'))).toBeNull();
  });

  const hourly = { schedule: '0 * * * *', timezone: 'UTC' };
  const hours = (...all: number[]) => all.map((hour) => at(`2026-05-04T${String(hour).padStart(2, '0')}:00:00Z`));

  it('AUT-8 what nobody was there for is left out, or made up for by the newest, or by all', () => {
    const from = at('2026-05-04T06:00:00Z');
    const now = at('2026-05-04T09:30:00Z');
    expect(dueSlots(hourly, from, now, 'skip')).toEqual([]);
    expect(dueSlots(hourly, from, now, 'one')).toEqual(hours(9));
    expect(dueSlots(hourly, from, now, 'all')).toEqual(hours(6, 7, 8, 9));
  });

  it('AUT-8 a slot that has just come is started whatever is made up for, and then counts as what is made up for', () => {
    const from = at('2026-05-04T08:00:00Z');
    const now = at('2026-05-04T09:00:20Z');
    expect(dueSlots(hourly, from, now, 'skip')).toEqual(hours(9));
    expect(dueSlots(hourly, from, now, 'one')).toEqual(hours(9));
    expect(dueSlots(hourly, from, now, 'all')).toEqual(hours(8, 9));
  });

  it('of years of minutes only the newest are made up for, and are found at once', () => {
    const now = at('2026-05-04T09:00:30Z');
    const slots = dueSlots({ schedule: '* * * * *', timezone: 'UTC' }, at('2016-05-04T09:00:00Z'), now, 'all');
    expect(slots).toHaveLength(MOST_MISSED);
    expect([slots[0], slots.at(-1)]).toEqual([at('2026-05-04T07:21:00Z'), at('2026-05-04T09:00:00Z')]);
    expect(dueSlots({ schedule: '0 0 29 2 *', timezone: 'UTC' }, at('2016-01-01T00:00:00Z'), now, 'all')).toHaveLength(3);
  });
});
