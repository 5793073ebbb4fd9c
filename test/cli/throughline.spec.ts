import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { folderWith } from '../config/config-folder.js';

// The one part that needs a build, which `npm test` makes first.
const BUILT = join(process.cwd(), 'dist/src/cli/throughline.js');

function throughline(cwd: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BUILT, ...args], {
    cwd,
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  });
  return { status, stdout, stderr };
}

describe('the built program', () => {
  it('is what the package calls throughline, and can be started as a file', () => {
    const { bin } = JSON.parse(readFileSync('package.json', 'utf8')) as { bin: { throughline: string } };
    expect(join(process.cwd(), bin.throughline)).toBe(BUILT);
    expect(readFileSync(BUILT, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n(\/\/.*\n)*import '..\/require-node.js';\n/);
  });

  it('writes to the right streams, ends by itself and passes on its exit code', () => {
    const cwd = folderWith({});
    expect(throughline(cwd, 'init')).toMatchObject({ status: 0, stderr: '' });
    expect(existsSync(join(cwd, 'throughline.config.yaml'))).toBe(true);
    expect(throughline(cwd, 'init')).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining('exists already') });
    const token = throughline(cwd, 'token', 'create', '--role', 'viewer');
    expect([token.status, token.stdout.trimEnd().split('\n').at(-1)]).toEqual([0, expect.stringMatching(/^tl_/)]);
    expect(throughline(cwd, 'statr')).toMatchObject({ status: 2, stdout: '' });
  }, 120_000);
});
