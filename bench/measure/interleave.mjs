/**
 * Runs every entry once a round, each round beginning with another one, so that no entry has the quiet or the busy times for itself.
 * Resolves to the results of the rounds by the name of the entry.
 */
export async function interleave(entries, rounds, run) {
  const results = Object.fromEntries(entries.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++)
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[(i + round) % entries.length];
      results[entry.name].push(await run(entry, round));
    }
  return results;
}
