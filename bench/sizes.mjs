// How much is posted. `full` is what the page's figures are made with, `small` shows the shape within minutes, `tiny` that all works.
export const SIZES = {
  tiny: {
    load: { deliveries: 60, subjects: 6, producers: 4 },
    warmUp: { deliveries: 12, subjects: 3, producers: 3 },
    scale: { completed: 2000, conversations: 200 },
    backlog: { deliveries: 100, subjects: 10, producers: 10 },
    hot: 30,
    idle: { conversations: 10, seconds: 1 },
  },
  small: {
    load: { deliveries: 3000, subjects: 300, producers: 32 },
    warmUp: { deliveries: 1500, subjects: 150, producers: 32 },
    scale: { completed: 100_000, conversations: 10_000 },
    backlog: { deliveries: 5000, subjects: 500, producers: 64 },
    hot: 500,
    idle: { conversations: 1000, seconds: 5 },
  },
  full: {
    load: { deliveries: 20_000, subjects: 1000, producers: 64 },
    warmUp: { deliveries: 5000, subjects: 200, producers: 64 },
    scale: { completed: 1_000_000, conversations: 100_000 },
    backlog: { deliveries: 100_000, subjects: 10_000, producers: 64 },
    hot: 10_000,
    idle: { conversations: 1000, seconds: 20 },
  },
};

let nextSubject = 1;

/** The load on subjects that no load was about before. */
export function fresh(load) {
  const firstSubject = nextSubject;
  nextSubject += load.subjects;
  return { ...load, firstSubject, seed: firstSubject };
}
