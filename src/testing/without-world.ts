/** Runs what may look at nothing but its arguments: the clock, chance and the network throw meanwhile. Synchronous work only. */
export function withoutWorld<Result>(work: () => Result): Result {
  const real = { date: globalThis.Date, random: Math.random, fetch: globalThis.fetch };
  globalThis.Date = stoppedClock(real.date);
  Math.random = forbidden('chance');
  globalThis.fetch = forbidden('the network');
  try {
    return work();
  } finally {
    globalThis.Date = real.date;
    Math.random = real.random;
    globalThis.fetch = real.fetch;
  }
}

/** Dates of given instants, and none of now. */
function stoppedClock(real: DateConstructor): DateConstructor {
  return new Proxy(real, {
    apply: forbidden('the clock'),
    construct: (target, args: unknown[], made) => (args.length === 0 ? forbidden('the clock')() : Reflect.construct(target, args, made)),
    get: (target, name) => (name === 'now' ? forbidden('the clock') : Reflect.get(target, name)),
  });
}

function forbidden(what: string): () => never {
  return () => {
    throw new Error(`the parser looks at ${what}`);
  };
}
