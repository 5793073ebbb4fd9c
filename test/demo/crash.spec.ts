import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { BuiltProcess, build } from './child.js';

const ALL_MET = /✓ (\d+) of \1 expectations met/;
const LONG = 240_000;

let folder: string;

beforeAll(build, LONG);

beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'throughline-demo-test-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the demo', () => {
  it(
    'REC-1 B62 goes on after kill -9 in the middle, twice, and in the end nothing is lost and nothing is done twice',
    async () => {
      const first = new BuiltProcess('demo/main.js', ['--exit-when-done'], { cwd: folder });
      await first.printed('second comment');
      await first.end('SIGKILL');

      const second = new BuiltProcess('demo/main.js', ['--exit-when-done'], { cwd: folder });
      await second.printed('agent is mentioned');
      await second.end('SIGKILL');
      expect(second.output).toContain('An earlier demo was stopped after');
      expect(second.output).not.toContain('issue opened');

      const third = new BuiltProcess('demo/main.js', ['--exit-when-done'], { cwd: folder });
      expect({ code: await third.end(), output: third.output }).toEqual({ code: 0, output: expect.stringMatching(ALL_MET) });
    },
    LONG,
  );

  it(
    'with --once ends with 0 when all is as expected, in no colours for a pipe, and leaves nothing behind',
    async () => {
      const demo = new BuiltProcess('demo/main.js', ['--once'], {
        cwd: folder,
        env: { TMPDIR: folder, THROUGHLINE_SERVER__PORT: 'of another server' },
      });
      expect({ code: await demo.end(), output: demo.output }).toEqual({ code: 0, output: expect.stringMatching(ALL_MET) });
      expect(demo.output).not.toContain('\u001b');
      expect(existsSync(path.join(folder, 'data'))).toBe(false);
      expect(readdirSync(folder)).toEqual([]);
    },
    LONG,
  );

  it('refuses an option that it does not know, with 2 and its usage', async () => {
    const demo = new BuiltProcess('demo/main.js', ['--twice'], { cwd: folder });
    expect(await demo.end()).toBe(2);
    expect(demo.output).toContain("'--twice'");
    expect(demo.output).toContain('--once ');
    expect(readdirSync(folder)).toEqual([]);
  });
});
