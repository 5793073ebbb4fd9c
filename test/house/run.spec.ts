import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { isNewEnough } from '../../scripts/run/node.mjs';

describe('scripts/run.mjs', () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/run.mjs', 'dance'], { encoding: 'utf8' });

  it('refuses an unknown task with 2 and names the known ones', () => {
    expect(status).toBe(2);
    expect(stderr).toBe(
      'run: usage: node scripts/run.mjs start | demo | bench | chaos | soak | cli | test | check | format | types | build [arguments]\n',
    );
  });

  it('stands behind every npm script, in place of the shell so that signals reach it', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
    for (const [name, command] of Object.entries(scripts)) {
      expect(command).toBe(`exec node scripts/run.mjs ${name}`);
      expect(stderr).toContain(` ${name} `);
    }
  });

  it.each([
    ['18.20.4', false],
    ['20.20.2', false],
    ['22.16.9', false],
    ['22.17.0', true],
    ['22.100.0', true],
    ['24.0.0', true],
  ])('says of Node %s whether the tasks run on it: %s', (version, expected) => {
    expect(isNewEnough(version)).toBe(expected);
  });
});
