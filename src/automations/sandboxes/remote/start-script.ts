import { ConfigFault } from '../../../plugin/index.js';
import type { SandboxCommand } from '../sandbox-kind.js';

/** Where the files of one command lie in its sandbox: a folder that only its user can look into. */
export interface Placement {
  readonly folder: string;
  readonly work: string;
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const MOST_BYTES = 100 * 1024 ** 2;
const FETCH_SECONDS = 120;

export function placement(run: string): Placement {
  return { folder: `/tmp/throughline-${run}`, work: '/workspace/project' };
}

/** What a shell reads variables from. */
export function environmentFile(environment: Readonly<Record<string, string>>): string {
  const wrong = Object.keys(environment).find((name) => !NAME.test(name));
  if (wrong !== undefined) throw new ConfigFault(`${JSON.stringify(wrong)} is no name of a variable`);
  const lines = Object.entries(environment).map(([name, value]) => `export ${name}=${quote(value)}`);
  return `${lines.join('\n')}\n`;
}

/**
 * The environment is read and removed before anything of the tarball runs; from then on it is in memory alone. The shell leads its group,
 * so that all of it can be ended.
 */
export function startScript({ folder, work }: Placement, { tarball, entrypoint }: SandboxCommand): string {
  const [at, archive] = [quote(work), quote(`${folder}/tarball`)];
  const fetched =
    tarball !== null && 'url' in tarball
      ? [`curl -fsSL --proto '=https' --max-filesize ${MOST_BYTES} --max-time ${FETCH_SECONDS} -o ${archive} ${quote(tarball.url)}`]
      : [];
  const unpacked = tarball === null ? [] : [`tar --no-same-owner --no-same-permissions -xf ${archive} -C ${at}`, `rm -f ${archive}`];
  return [
    ...['set -eu', `cd ${quote(folder)}`, "trap 'rm -f environment' EXIT", 'echo $$ > group'],
    ...['. ./environment', 'rm -f environment', 'trap - EXIT'],
    ...[`mkdir -p ${at}`, ...fetched, ...unpacked, `cd ${at}`],
    'if [ -f setup.sh ]; then bash ./setup.sh; fi',
    `exec ${wordsOf(entrypoint).map(quote).join(' ')}`,
    '',
  ].join('\n');
}

/** Begins it. The folder's name is what it is found by where nobody knows whether it has begun. */
export function startCommand({ folder }: Placement): string {
  return `exec setsid --wait bash ${quote(`${folder}/start.sh`)}`;
}

export function prepareCommand({ folder }: Placement): string {
  return `umask 077 && mkdir -p ${quote(folder)} && chmod 700 ${quote(folder)}`;
}

export function forgetCommand({ folder }: Placement): string {
  return `rm -f ${quote(`${folder}/environment`)}`;
}

/** Asks its whole group to end, and makes it end after five seconds. */
export function stopCommand({ folder }: Placement): string {
  const file = quote(`${folder}/group`);
  return [
    `[ -f ${file} ] || exit 0`,
    ...[`group="$(cat ${file})"`, 'kill -TERM -- "-$group" 2>/dev/null || exit 0'],
    'for _ in $(seq 50); do kill -0 -- "-$group" 2>/dev/null || exit 0; sleep 0.1; done',
    ...['kill -KILL -- "-$group" 2>/dev/null', 'true'],
  ].join('\n');
}

/** A program of the tarball's own files is named without a path; others are found as usual. */
function wordsOf(entrypoint: string): string[] {
  return entrypoint.trim().split(/\s+/);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
