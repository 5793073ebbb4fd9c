// Loads, as the benchmark sees them: a process that is ready to post, and what became of the posts.
import { fileURLToPath } from 'node:url';
import { startNode } from '../systems/child.mjs';

const GENERATOR = fileURLToPath(new URL('generator.mjs', import.meta.url));

/** Everything that can be made before is made; `go` posts it all. */
export async function prepareLoad(load) {
  const child = startNode([GENERATOR], { ipc: true });
  await child.message({ prepare: load });
  return { go: () => child.message({ go: true }).finally(() => child.end()) };
}
