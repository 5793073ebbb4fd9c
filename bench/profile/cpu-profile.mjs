// Reads what `node --cpu-prof` writes: who was on the thread, by its own time.
const OURS = /\/dist\/(src|plugins)\/([^/]+)/;
const PACKAGE = /\/node_modules\/((?:@[^/]+\/)?[^/]+)/;
const IDLE = new Set(['(idle)', '(root)']);

/**
 * The busy time of a profile between two instants of the monotonic clock (in ms), by area and by function:
 * `{ seconds, areas, functions }`, each a list of `{ name, share, milliseconds }`, the largest first.
 */
export function selfTimes({ nodes, samples, timeDeltas, startTime }, { from, to }, most = 20) {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const byFunction = new Map();
  const byArea = new Map();
  let at = startTime;
  let total = 0;
  samples.forEach((id, i) => {
    at += timeDeltas[i];
    const frame = frames.get(id);
    if (at < from * 1000 || at > to * 1000 || IDLE.has(frame.functionName)) return;
    // What a sample says held until the next one.
    const micros = Math.max(0, timeDeltas[i + 1] ?? 0);
    total += micros;
    add(byFunction, functionName(frame), micros);
    add(byArea, areaOf(frame), micros);
  });
  const sorted = (times) =>
    [...times]
      .map(([name, micros]) => ({ name, share: micros / total, milliseconds: micros / 1000 }))
      .sort((a, b) => b.milliseconds - a.milliseconds)
      .slice(0, most);
  return { seconds: total / 1e6, areas: sorted(byArea), functions: sorted(byFunction) };
}

function add(times, name, micros) {
  times.set(name, (times.get(name) ?? 0) + micros);
}

function functionName({ functionName, url, lineNumber }) {
  const name = functionName || '(anonymous)';
  if (url === '') return name;
  const file = url.replace(/^.*\/(?=dist\/|node_modules\/|bench\/)/, '').replace(/^node_modules\//, '');
  return `${name} ${file}:${lineNumber + 1}`;
}

function areaOf({ functionName, url }) {
  if (functionName === '(garbage collector)') return 'garbage collection';
  if (url === '') return functionName === '(program)' ? 'native code outside JavaScript' : 'native functions';
  if (url.startsWith('node:'))
    return `Node: ${
      url
        .slice('node:'.length)
        .replace(/^internal\//, '')
        .split('/')[0]
    }`;
  const ours = OURS.exec(url);
  if (ours) return `Throughline: ${ours[1]}/${ours[2]}`;
  return PACKAGE.exec(url)?.[1] ?? 'the benchmark’s plugin';
}
