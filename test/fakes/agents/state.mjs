// What the stand-ins for command-line agents share: their input, where they keep what they remember, and what the messages tell them to do.
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';

export const args = process.argv.slice(2);
export const say = (frame) => process.stdout.write(`${JSON.stringify(frame)}\n`);

export const record = (file, what) => appendFileSync(path.join(process.env.HOME, file), `${JSON.stringify(what)}\n`);

record('starts.log', args);

export async function refuse(code, words) {
  process.stderr.write(`${words}\n`);
  await text(process.stdin);
  process.exit(code);
}

/** A session of one folder, as a file with a line for each turn. */
export function sessionFile(id) {
  const folder = path.join(process.env.HOME, 'sessions', process.cwd().replaceAll('/', '-'));
  mkdirSync(folder, { recursive: true });
  return path.join(folder, `${id}.jsonl`);
}

export const isKnown = (id) => existsSync(sessionFile(id));

/** Keeps the turn and resolves to its commands. */
export async function begin(id) {
  const prompt = await text(process.stdin);
  keep(id, prompt);
  return commandsOf(prompt);
}

export function keep(id, prompt) {
  appendFileSync(sessionFile(id), `${JSON.stringify(prompt)}\n`);
}

/** `[name, rest]` of each line `!name rest`. */
export function commandsOf(prompt) {
  return prompt.split('\n').flatMap((line) => {
    const [, name, rest] = /^!([\w-]+) ?(.*)$/.exec(line) ?? [];
    return name === undefined ? [] : [[name, rest]];
  });
}

export const turnsOf = (id) => readFileSync(sessionFile(id), 'utf8').trim().split('\n').length;
