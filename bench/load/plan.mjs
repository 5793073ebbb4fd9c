// Who posts what, and in which order: the same for every system of a round.
import { seeded, shuffled } from './random.mjs';

const LATER = 10;

/**
 * One list of posts a producer. A producer posts the deliveries of one subject one after another, which is the order that counts;
 * its subjects are mixed. One delivery in ten is posted twice: in turns at once, and ten posts later.
 */
export function plan({ deliveries, subjects, producers, firstSubject = 1, seed = 1, duplicates = true }) {
  const random = seeded(seed);
  const lists = Array.from({ length: producers }, () => []);
  for (let i = 0; i < deliveries; i++) lists[(i % subjects) % producers].push(firstSubject + (i % subjects));
  let index = 0;
  return lists
    .filter((list) => list.length > 0)
    .map((list) => {
      const posts = numbered(shuffled(list, random));
      return duplicates ? repeated(posts, () => index++) : posts;
    });
}

/** Each subject's posts count from 1. */
function numbered(subjects) {
  const counts = new Map();
  return subjects.map((subject) => {
    const number = (counts.get(subject) ?? 0) + 1;
    counts.set(subject, number);
    return { subject, number, isRepeat: false };
  });
}

function repeated(posts, nextIndex) {
  const late = new Map();
  const all = posts.flatMap((post, at) => {
    const due = late.get(at) ?? [];
    const index = nextIndex();
    const repeat = { ...post, isRepeat: true };
    if (index % 10 !== 0) return [...due, post];
    if (index % 20 === 0) return [...due, post, repeat];
    late.set(at + LATER, [repeat]);
    return [...due, post];
  });
  const after = [...late].filter(([at]) => at >= posts.length).flatMap(([, repeats]) => repeats);
  return [...all, ...after];
}
