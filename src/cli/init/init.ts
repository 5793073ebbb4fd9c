import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { findConfigFile } from '../../config/read-file.js';
import { envExample } from '../../config/template.js';
import { columns } from '../columns.js';
import { CONFIG_FILE, writeConfig } from '../ensure-config.js';
import { callOf, painter, say, type Terminal } from '../terminal.js';
import { UsageFault } from '../usage-fault.js';

interface Companion {
  readonly name: string;
  readonly text: string;
  readonly about: string;
  /** Lines that a file of this name which is there already should have. */
  readonly wanted: readonly string[];
}

const COMPANIONS: readonly Companion[] = [
  { name: '.env.example', text: envExample(), about: 'the secrets that the configuration refers to, to be copied to .env', wanted: [] },
  {
    name: '.gitignore',
    text: 'node_modules/\ndata/\n.env\n',
    about: 'keeps data and secrets out of version control',
    wanted: ['data/', '.env'],
  },
  {
    name: '.npmrc',
    text: '# better-sqlite3 brings its binary: without this line `npm ci` would compile it, which needs Python and a C++ compiler.\nignore-scripts=true\n',
    about: 'lets `npm ci` work on a machine without compilers',
    wanted: ['ignore-scripts=true'],
  },
];

export function init(folder: string, terminal: Terminal): void {
  const existing = existsSync(folder) ? findConfigFile({ cwd: folder, asked: undefined }) : null;
  if (existing !== null) throw new UsageFault(`${existing} exists already, and init overwrites nothing; edit it, or name another folder`);
  mkdirSync(folder, { recursive: true });
  writeConfig(folder);
  const rows = [
    ['created', CONFIG_FILE, 'the configuration, all of it commented'],
    ...COMPANIONS.map((companion) => write(folder, companion)),
  ];
  const bold = (text: string) => painter(terminal)('bold', text);
  say(terminal, `${bold(folder)}\n`);
  for (const line of columns(rows)) say(terminal, `  ${line}`);
  say(terminal, `\n${bold('Next')}\n`);
  for (const line of columns(nextSteps(folder, terminal))) say(terminal, `  ${line}`);
}

/** As they are to be typed where the command was called. */
function nextSteps(folder: string, terminal: Terminal): string[][] {
  const here = relative(terminal.cwd, folder);
  const of = (name: string) => join(here, name);
  const config = here === '' ? '' : ` --config ${of(CONFIG_FILE)}`;
  return [
    [`1. cp ${of('.env.example')} ${of('.env')}`, 'and fill in the secrets of the providers that you use'],
    [`2. edit ${of(CONFIG_FILE)}`, 'and uncomment what you need'],
    [`3. ${callOf(terminal)} doctor${config}`, 'says what is still missing'],
    [`4. ${callOf(terminal)} start${config}`, ''],
  ];
}

function write(folder: string, { name, text, about, wanted }: Companion): string[] {
  const file = join(folder, name);
  if (!existsSync(file)) {
    writeFileSync(file, text, { flag: 'wx' });
    return ['created', name, about];
  }
  const bare = (line: string) => line.trim().replace(/^\/|\/$/g, '');
  const lines = readFileSync(file, 'utf8').split('\n').map(bare);
  const missing = wanted.filter((line) => !lines.includes(bare(line)));
  return ['exists', name, missing.length === 0 ? 'left as it is' : `left as it is; add: ${missing.join(', ')}`];
}
