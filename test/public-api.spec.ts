import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { parse } from '../scripts/house/sources.mjs';

const api = parse('index.ts', readFileSync('src/plugin/index.ts', 'utf8'));

/** `type X` or `value X`, sorted. Anything but `export { … } from` would let names in that nobody decided on. */
function exportedNames(): string[] {
  return api.statements.flatMap((statement) => {
    if (!ts.isExportDeclaration(statement) || !statement.exportClause || !ts.isNamedExports(statement.exportClause)) {
      throw new Error(`src/plugin/index.ts may hold nothing but \`export { … } from\`: ${statement.getText()}`);
    }
    const typesOnly = statement.isTypeOnly;
    return statement.exportClause.elements.map((name) => `${typesOnly || name.isTypeOnly ? 'type' : 'value'} ${name.name.text}`);
  });
}

describe('the public API', () => {
  it('throughline/plugin exports the names of public-api.txt, which is changed together with CHANGELOG.md', () => {
    const agreed = readFileSync('test/public-api.txt', 'utf8').trim().split('\n');
    expect(exportedNames().sort()).toEqual(agreed);
  });

  it('has at run time the values among them and no others', async () => {
    const values = exportedNames().filter((name) => name.startsWith('value '));
    expect(Object.keys(await import('throughline/plugin'))).toEqual(values.map((name) => name.slice('value '.length)).sort());
  });

  it('lets nothing of the package be imported but the plugin API, its checks and package.json', () => {
    const { exports } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(Object.keys(exports)).toEqual(['./plugin', './testing', './package.json']);
  });
});
