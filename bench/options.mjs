// What the command line asks for.
import { parseArgs } from 'node:util';
import { SCENARIOS } from './scenarios/scenarios.mjs';
import { SIZES } from './sizes.mjs';

const DATABASES = ['sqlite', 'postgres'];

export const USAGE = `npm run bench -- [options]

  --scenario NAME    one or several, comma-separated, or all (default throughput):
${SCENARIOS.map(({ name, about }) => `                       ${name.padEnd(12)}${about}`).join('\n')}
  --database NAME    ${DATABASES.join(' | ')} (default both)
  --size NAME        ${Object.keys(SIZES).join(' | ')} (default small)
  --deliveries N     posted, instead of the size's; also --subjects N and --producers N
  --rounds N         how often each system is measured, in turns (default 3)
  --no-peers         without the systems that it is compared with
  --profile          afterwards runs the product under Node's profiler and shows where its time goes, and its statements
  --json             prints everything as JSON
  --write            all scenarios at full size into docs/performance.md and its picture`;

/** Throws with a sentence for the user. */
export function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      scenario: { type: 'string' },
      database: { type: 'string', default: DATABASES.join(',') },
      size: { type: 'string' },
      deliveries: { type: 'string' },
      subjects: { type: 'string' },
      producers: { type: 'string' },
      rounds: { type: 'string', default: '3' },
      peers: { type: 'boolean', default: true },
      profile: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
    allowNegative: true,
  });
  const scenario = values.scenario ?? (values.write ? 'all' : 'throughput');
  const sizeName = values.size ?? (values.write ? 'full' : 'small');
  const names = SCENARIOS.map(({ name }) => name);
  const chosen = scenario === 'all' ? names : listed('scenario', scenario, names);
  listed('size', sizeName, Object.keys(SIZES));
  return {
    ...values,
    scenarios: SCENARIOS.filter(({ name }) => chosen.includes(name)),
    kinds: listed('database', values.database, DATABASES),
    sizeName,
    size: { ...SIZES[sizeName], load: { ...SIZES[sizeName].load, ...ownLoad(values) } },
    rounds: whole('rounds', values.rounds),
  };
}

function listed(option, value, known) {
  const asked = value.split(',');
  const unknown = asked.find((each) => !known.includes(each));
  if (unknown !== undefined) throw new Error(`--${option} ${unknown} is not known; there are ${known.join(', ')}`);
  return known.filter((each) => asked.includes(each));
}

function ownLoad(values) {
  const given = ['deliveries', 'subjects', 'producers'].filter((name) => values[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, whole(name, values[name])]));
}

function whole(option, value) {
  if (!/^[1-9]\d*$/.test(value)) throw new Error(`--${option} ${value} is no number above 0`);
  return Number(value);
}
