import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { build } from '../demo/child.js';

const FILE = fileURLToPath(new URL('./kit.node-test.mjs', import.meta.url));
const LONG = 240_000;

/** What node:test says of the file, in its own process. */
async function nodeTest(env: Record<string, string> = {}): Promise<{ passed: number; failed: number; output: string }> {
  // Inside of a run of node:test a further one would report to it instead of printing.
  const { NODE_TEST_CONTEXT: _, NODE_OPTIONS: __, ...outer } = process.env;
  const child = spawn(process.execPath, ['--test', '--test-reporter=tap', FILE], { env: { ...outer, ...env } });
  const output = await text(child.stdout);
  const count = (name: string) => Number(new RegExp(`^# ${name} (\\d+)$`, 'm').exec(output)?.[1]);
  return { passed: count('pass'), failed: count('fail'), output };
}

describe('throughline/testing in the built package', () => {
  beforeAll(build, LONG);

  it('registers its checks with node:test, which runs them', async () => {
    const { passed, failed, output } = await nodeTest();
    expect({ failed, output }).toMatchObject({ failed: 0 });
    expect(passed).toBeGreaterThan(15);
    expect(output).toContain('gives one subject to all events about one thing');
  });

  it('fails there where a plugin does', async () => {
    const { failed, output } = await nodeTest({ WRONG_WORD: 'T-1' });
    expect({ failed, output }).toMatchObject({ failed: 1 });
    expect(output).toMatch(/not ok .* gives one subject to all events about one thing/);
  });
});
