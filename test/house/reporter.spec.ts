import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

describe('the end of a test run', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'throughline-reporter-'));
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs jest with our reporter on the given test files. */
  function run(files: Record<string, string>): { code: number | null; lines: string[] } {
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
    const config = JSON.stringify({
      rootDir: folder,
      reporters: ['default', path.resolve('test/reporter.mjs')],
      testMatch: ['**/*.spec.cjs'],
    });
    const jest = path.resolve('node_modules/jest/bin/jest.js');
    const { status, stdout } = spawnSync(process.execPath, [jest, '--config', config, '--no-cache'], { cwd: folder, encoding: 'utf8' });
    return { code: status, lines: stdout.split('\n') };
  }

  it('is a line of its own that counts what passed and what failed, a suite that cannot be loaded included', () => {
    const { code, lines } = run({
      'a.spec.cjs': "it('holds', () => {}); it('holds too', () => {}); it('does not', () => { throw new Error('no'); });",
      'b.spec.cjs': "require('./missing.cjs');",
    });
    expect(code).toBe(1);
    expect(lines.slice(-2)).toEqual(['2 passed, 2 failed', '']);
  });

  it('says that nothing failed when all went well', () => {
    const { code, lines } = run({ 'a.spec.cjs': "it('holds', () => {});" });
    expect(code).toBe(0);
    expect(lines.slice(-2)).toEqual(['1 passed, 0 failed', '']);
  });
});
