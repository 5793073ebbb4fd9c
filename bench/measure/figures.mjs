// Figures of a load, out of what became of its posts and of what the handlers wrote down.
import { judge } from './judge.mjs';
import { quantiles } from './statistics.mjs';

const PARTS = 5;

export function acceptFigures(posts) {
  const answered = posts.status.filter((status) => status === 200).length;
  const [first, last] = [least(posts.postedAt), most(posts.answeredAt)];
  return {
    acceptedPerSecond: perSecond(answered, last - first),
    answerMs: quantiles(posts.answeredAt.map((at, i) => at - posts.postedAt[i])),
    refused: posts.status.length - answered,
    window: { from: first, to: last },
  };
}

/** `accepted`: by mark, when it was posted. `from`: since when the deliveries done are counted, else since the first post. */
export function turnFigures(accepted, events, from = least([...accepted.values()])) {
  const begins = firstOf('begin', accepted, events);
  const ends = firstOf('end', accepted, events);
  const turns = events.filter(({ kind }) => kind === 'begin').length;
  const last = most([...ends.values()]);
  return {
    donePerSecond: perSecond(ends.size, last - from),
    startMs: quantiles([...begins].map(([mark, at]) => at - accepted.get(mark))),
    deliveriesPerTurn: begins.size / Math.max(1, turns),
    faults: judge([...accepted.keys()], events),
    rateOfParts: rates([...ends.values()], from),
    window: { from, to: last },
  };
}

/** Deliveries a second in each fifth of the deliveries. */
function rates(ends, from) {
  const sorted = ends.toSorted((a, b) => a - b);
  const size = Math.floor(sorted.length / PARTS);
  if (size === 0) return [];
  return Array.from({ length: PARTS }, (_, part) => {
    const begin = part === 0 ? from : sorted[part * size - 1];
    return perSecond(size, sorted[(part + 1) * size - 1] - begin);
  });
}

function firstOf(wanted, accepted, events) {
  const found = new Map();
  for (const { kind, at, marks } of events)
    for (const mark of marks) if (kind === wanted && accepted.has(mark) && !found.has(mark)) found.set(mark, at);
  return found;
}

function perSecond(count, ms) {
  return ms > 0 ? (1000 * count) / ms : 0;
}

function most(values) {
  return values.reduce((found, value) => Math.max(found, value), 0);
}

function least(values) {
  return values.reduce((found, value) => Math.min(found, value), Number.POSITIVE_INFINITY);
}
