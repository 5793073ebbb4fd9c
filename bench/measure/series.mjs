// What a scenario reports: series (a system, its rounds) and measures (a number against what is wanted of it).
import { worst } from './judge.mjs';
import { median, medians } from './statistics.mjs';

/** The figures of a system in all rounds; its faults are the worst of any round. */
export function series(name, label, rounds) {
  const { faults, rateOfParts, window, ...numbers } = medians(rounds.map(withoutFaults));
  const judged = rounds.filter((each) => each.faults);
  return { name, label, median: numbers, faults: judged.length > 0 ? worst(judged.map((each) => each.faults)) : null, rounds };
}

/**
 * Round by round, so that both sides had the same machine.
 * @param {string} what
 * @param {number[]} numerators
 * @param {number[]} denominators
 * @param {{ least?: number, most?: number } | null} wanted
 */
export function ratio(what, numerators, denominators, wanted = null) {
  return measure(
    what,
    numerators.map((value, i) => value / denominators[i]),
    '×',
    wanted,
  );
}

/**
 * @param {string} what
 * @param {(number | null)[]} values one a round
 * @param {string} unit
 * @param {{ least?: number, most?: number } | null} wanted
 */
export function measure(what, values, unit, wanted = null) {
  const middle = median(values.filter((value) => value !== null));
  return { what, median: middle, values, unit, wanted, holds: middle === null || wanted === null ? null : isWanted(middle, wanted) };
}

function isWanted(value, { least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY }) {
  return value >= least && value <= most;
}

function withoutFaults({ faults, ...rest }) {
  return rest;
}
