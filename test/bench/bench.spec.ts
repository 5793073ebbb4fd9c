import { spawn } from 'node:child_process';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { build } from '../demo/child.js';

const LONG = 240_000;

function bench(...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, ['--no-warnings', 'bench/main.mjs', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { out: '', err: '' };
  child.stdout.on('data', (data: Buffer) => (said.out += data.toString()));
  child.stderr.on('data', (data: Buffer) => (said.err += data.toString()));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...said })));
}

beforeAll(build, LONG);

describe('npm run bench', () => {
  it(
    'measures the product over HTTP and judges it without a fault',
    async () => {
      const { code, out, err } = await bench('--database', 'sqlite', '--size', 'tiny', '--rounds', '1', '--no-peers', '--json');
      expect({ code, err }).toMatchObject({ code: 0, err: expect.stringContaining('no fault') });
      const { reports } = JSON.parse(out);
      expect(reports).toMatchObject([{ scenario: 'throughput', database: 'sqlite' }]);
      const names = reports[0].series.map(({ name }: { name: string }) => name);
      expect(names).toEqual(['throughline-20', 'throughline-1']);
      for (const { median, faults, rounds } of reports[0].series) {
        expect(faults).toEqual({ lost: 0, twice: 0, disordered: 0, overlapping: 0 });
        expect(rounds).toMatchObject([{ refused: 0 }]);
        expect(median.donePerSecond).toBeGreaterThan(0);
        expect(median.startMs.p99).toBeGreaterThanOrEqual(median.startMs.p50);
      }
    },
    LONG,
  );

  it.each([
    [['--size', 'huge'], '--size huge is not known; there are tiny, small, full'],
    [['--scenario', 'all,throughput'], '--scenario all is not known'],
    [['--rounds', '0'], '--rounds 0 is no number above 0'],
    [['--sise', 'tiny'], "Unknown option '--sise'"],
  ])('refuses %j with 2 and says what is wrong', async (args, message) => {
    const { code, err } = await bench(...args);
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining(message) });
  });
});
