// node scripts/bands.mjs: how long files and functions are, how much is comment, what is hidden from the checks. Exits 1 outside the bands.
import { cyclesIn } from './house/imports.mjs';
import { measure } from './house/measures.mjs';
import { readSources } from './house/sources.mjs';

const SHOWN = 5;

const sources = readSources(['src', 'plugins']);
const measured = [...sources].map(([name, text]) => ({ at: name, ...measure(name, text) }));
const tests = [...readSources(['test'])].map(([name, text]) => ({ at: name, lines: measure(name, text).lines }));
const share = (100 * sum('comments')) / Math.max(1, sum('code'));
const cycles = cyclesIn(sources);

const bands = [
  lengths('file', measured, { p90: 200, most: 300 }),
  lengths(
    'function',
    measured.flatMap(({ functions }) => functions),
    { p90: 30, most: 60 },
  ),
  lengths('test file', tests, { p90: 500, most: 500 }),
  { text: `comment lines ${share.toFixed(1)} % (5 to 15)`, holds: share >= 5 && share <= 15, worst: mostCommented() },
  none('any', 'anys'),
  none('suppressed checks', 'suppressions'),
  { text: `import cycles ${cycles.length} (0)`, holds: cycles.length === 0, worst: cycles.map((files) => files.join(' → ')) },
];

for (const { text, holds, worst } of bands) {
  process.stdout.write(`${holds ? 'ok ' : 'OUT'} ${text}\n`);
  for (const line of worst) process.stdout.write(`      ${line}\n`);
}
process.exitCode = bands.every(({ holds }) => holds) ? 0 : 1;

function lengths(what, items, { p90, most }) {
  const sorted = items.toSorted((a, b) => b.lines - a.lines);
  const at90 = sorted[Math.floor(sorted.length / 10)]?.lines ?? 0;
  const longest = sorted[0]?.lines ?? 0;
  return {
    text: `${what} lines: p90 ${at90} (≤ ${p90}), longest ${longest} (≤ ${most}), of ${sorted.length}`,
    holds: at90 <= p90 && longest <= most,
    worst: sorted.slice(0, SHOWN).map(({ at, lines }) => `${lines} ${at}`),
  };
}

function none(what, key) {
  const found = measured.flatMap((file) => file[key]);
  return { text: `${what} ${found.length} (0)`, holds: found.length === 0, worst: found };
}

function mostCommented() {
  const percent = ({ comments, code }) => (100 * comments) / code;
  const sorted = measured.filter(({ code }) => code > 0).sort((a, b) => percent(b) - percent(a));
  return sorted.slice(0, SHOWN).map((file) => `${percent(file).toFixed(0)} % ${file.at}`);
}

function sum(key) {
  return measured.reduce((total, file) => total + file[key], 0);
}
