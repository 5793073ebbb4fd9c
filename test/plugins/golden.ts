import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { CallbackEvidence, Parsed } from 'throughline/plugin';

const fixturesRoot = new URL('../fixtures/', import.meta.url);

/** Names of the files of a folder under `test/fixtures`, with the folder. */
export function fixturesIn(folder: string, ending = '.json'): string[] {
  const names = readdirSync(new URL(`${folder}/`, fixturesRoot)).filter((name) => name.endsWith(ending));
  return names.sort().map((name) => `${folder}/${name}`);
}

export function fixtureText(name: string): string {
  return readFileSync(new URL(name, fixturesRoot), 'utf8');
}

/** One event and what was made of it, in lines for a reader. */
export function goldenEntry(heading: string, eventKey: string, parsed: Parsed): string {
  const { subject, author, observation } = parsed;
  const lines = {
    event: eventKey,
    outcome: 'reason' in parsed ? `${parsed.kind} (${parsed.reason})` : parsed.kind,
    subject: subject && `${subject.namespace}  ${subject.key}`,
    title: parsed.title,
    text: 'text' in parsed ? parsed.text.replace(/\n+/g, `\n${' '.repeat(12)}`) : undefined,
    author: author && `${author.name} (${author.id})${author.isSelf ? ', ourselves' : author.isBot ? ', a bot' : ''}`,
    message: 'messageKey' in parsed ? parsed.messageKey : undefined,
    thread: parsed.thread,
    action: parsed.kind === 'action' ? JSON.stringify(parsed.action) : undefined,
    joins: parsed.kind === 'prompt' && parsed.continueOnly ? 'only an existing conversation' : undefined,
    life:
      observation &&
      [observation.transition ? 'is now' : 'carried:', observation.state, observation.reason, `at ${observation.revision}`]
        .filter(Boolean)
        .join(' '),
    evidence: parsed.evidence && shownEvidence(parsed.evidence),
    context: parsed.kind === 'lifecycle' ? JSON.stringify(parsed.context) : undefined,
    url: parsed.url,
    happened: parsed.occurredAt,
  };
  const shown = Object.entries(lines).filter(([, value]) => value !== undefined && value !== null);
  return [heading, ...shown.map(([name, value]) => `  ${name.padEnd(8)}  ${value}`), ''].join('\n');
}

function shownEvidence({ account, kind, action, ids, marker }: CallbackEvidence): string {
  const shown = Object.entries(ids).map(([name, id]) => `${name} ${id}`);
  return [`${account} ${kind} ${action}:`, shown.join(', '), ...(marker === undefined ? [] : [`marked ${marker}`])].join(' ');
}

/** What the committed file says. With `UPDATE_GOLDEN` set it is written anew first, to be reviewed entry by entry. */
export function goldenText(file: URL, now: string): string {
  if (process.env.UPDATE_GOLDEN) writeFileSync(file, now);
  return readFileSync(file, 'utf8');
}
