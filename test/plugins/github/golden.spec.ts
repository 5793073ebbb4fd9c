import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import type { Parsed } from 'throughline/plugin';
import { bodies, delivery, read } from './deliveries.js';

const GOLDEN = fileURLToPath(new URL('./golden.txt', import.meta.url));

const HEAD = `What the parser makes of each recorded body

Checked by \`golden.spec.ts\`; written anew by it when \`UPDATE_GOLDEN\` is set, to be reviewed row by row.
Observation: state, reason, \`!\` for a transition or \`~\` for a carried state, revision.

body | event key | decision | subject | observation | author | title | text (start)
`;

function row(file: string): string {
  const { eventKey, parsed } = read(delivery(file));
  const decision = 'reason' in parsed ? `${parsed.kind}: ${parsed.reason}` : parsed.kind;
  const subject = parsed.subject === null ? '–' : `${parsed.subject.namespace} ${parsed.subject.key}`;
  const text = 'text' in parsed ? [...parsed.text].slice(0, 80).join('') : '';
  return cells([file, eventKey, decision, subject, observation(parsed), author(parsed), parsed.title ?? '', text]);
}

function observation({ observation: seen }: Parsed): string {
  if (!seen) return '';
  return [seen.state, ...(seen.reason ? [seen.reason] : []), seen.transition ? '!' : '~', seen.revision ?? 'unversioned'].join(' ');
}

function author({ author: by }: Parsed): string {
  if (!by) return '';
  return `${by.name} ${by.id}${by.isBot ? ' bot' : ''}${by.isSelf ? ' self' : ''}${by.roles ? ` ${by.roles.join()}` : ''}`;
}

function cells(values: readonly string[]): string {
  return values
    .map((value) => value.replaceAll('\n', '⏎'))
    .join(' | ')
    .trimEnd();
}

describe('the recorded GitHub bodies', () => {
  it('are read as the golden table says (GIT-1, GIT-2, IDN-1)', () => {
    const table = `${HEAD}${bodies.map(row).join('\n')}\n`;
    if (process.env.UPDATE_GOLDEN) writeFileSync(GOLDEN, table);
    expect(table.split('\n')).toEqual(readFileSync(GOLDEN, 'utf8').split('\n'));
  });

  it('are all understood', () => {
    const reasons = bodies.map((file) => ({ file, ...read(delivery(file)).parsed })).filter((parsed) => parsed.kind === 'recorded');
    expect(reasons.filter(({ reason }) => reason === 'invalid_shape' || reason === 'unknown_event')).toEqual([]);
  });
});
