import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { parse } from '../scripts/house/sources.mjs';

/** What may be imported, and the file that lists its names. */
const ENTRIES: readonly (readonly [entry: string, file: string, list: string])[] = [
  ['throughline/plugin', 'src/plugin/index.ts', 'test/public-api.txt'],
  ['throughline/testing', 'src/testing/index.ts', 'test/public-api.testing.txt'],
  ['throughline/testing/host', 'src/testing/host/index.ts', 'test/public-api.host.txt'],
];

/** `type X` or `value X`, sorted. Anything but `export { … } from` would let names in that nobody decided on. */
function exportedNames(file: string): string[] {
  return parse('index.ts', readFileSync(file, 'utf8')).statements.flatMap((statement) => {
    if (!ts.isExportDeclaration(statement) || !statement.exportClause || !ts.isNamedExports(statement.exportClause)) {
      throw new Error(`${file} may hold nothing but \`export { … } from\`: ${statement.getText()}`);
    }
    const typesOnly = statement.isTypeOnly;
    return statement.exportClause.elements.map((name) => `${typesOnly || name.isTypeOnly ? 'type' : 'value'} ${name.name.text}`);
  });
}

describe('the public API', () => {
  it.each(ENTRIES)('%s exports the names of its list, which is changed together with CHANGELOG.md', (_entry, file, list) => {
    const agreed = readFileSync(list, 'utf8').trim().split('\n');
    expect(exportedNames(file).sort()).toEqual(agreed);
  });

  it.each(ENTRIES)('%s has at run time the values among them and no others', async (entry, file) => {
    const values = exportedNames(file).filter((name) => name.startsWith('value '));
    expect(Object.keys(await import(entry))).toEqual(values.map((name) => name.slice('value '.length)).sort());
  });

  it('lets nothing of the package be imported but the plugin API, what tests it, and package.json', () => {
    const { exports } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(Object.keys(exports)).toEqual(['./plugin', './testing', './testing/host', './package.json']);
  });
});
