// node bench/main.mjs: measures the product beside its peers. Figures go to stdout, progress to stderr.
import { stopDatabases } from './databases/databases.mjs';
import { readOptions, USAGE } from './options.mjs';
import { installPeers } from './peers/install.mjs';
import { profiles } from './profile/profiles.mjs';
import { machine } from './report/machine.mjs';
import { writePage } from './report/page.mjs';
import { Progress } from './report/progress.mjs';
import { profileText, reportText } from './report/text.mjs';

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
])
  process.once(signal, () => stopDatabases().finally(() => process.exit(code)));

process.exitCode = await main(process.argv.slice(2));

async function main(args) {
  const options = optionsOf(args);
  if (options === null) return 2;
  if (options.help) return print(USAGE);
  const results = {
    at: new Date().toISOString(),
    machine: machine(),
    size: options.sizeName,
    load: options.size.load,
    rounds: options.rounds,
    reports: [],
  };
  const show = (text) => !options.json && print(text);
  try {
    if (options.peers && options.scenarios.some(({ name }) => name === 'throughput')) await installPeers();
    for (const kind of options.kinds)
      for (const scenario of options.scenarios) {
        const report = await runScenario(scenario, kind, options);
        results.reports.push(report);
        show(reportText(report));
      }
    if (options.profile) results.profiles = await profiles(options, (profile) => show(profileText(profile)));
  } finally {
    await stopDatabases();
  }
  if (options.json) print(JSON.stringify(results, null, 2));
  if (options.write) writePage(results);
  return 0;
}

async function runScenario(scenario, kind, { size, rounds, peers }) {
  const progress = new Progress(`${scenario.name} on ${kind}`);
  const { series, measures, notes = [] } = await scenario.run({ kind, size, rounds, withPeers: peers, progress });
  return { scenario: scenario.name, about: scenario.about, database: kind, series, measures, notes };
}

function optionsOf(args) {
  try {
    return readOptions(args);
  } catch (error) {
    process.stderr.write(`${error.message}\n\n${USAGE}\n`);
    return null;
  }
}

function print(text) {
  process.stdout.write(`${text}\n`);
  return 0;
}
