import { describe, expect, it } from '@jest/globals';
import { measure, ratio, series } from '../../bench/measure/series.mjs';
import { selfTimes } from '../../bench/profile/cpu-profile.mjs';
import { figuresText, withFigures } from '../../bench/report/page.mjs';
import { picture } from '../../bench/report/picture.mjs';
import { reportText } from '../../bench/report/text.mjs';

const NONE = { lost: 0, twice: 0, disordered: 0, overlapping: 0 };
const round = (donePerSecond: number, faults = NONE) => ({
  donePerSecond,
  acceptedPerSecond: 2 * donePerSecond,
  answerMs: { p50: 1, p99: 2 },
  startMs: { p50: 3, p99: 4 },
  cpuMicros: { server: 10, database: 20 },
  foreignCpus: 0.9,
  faults,
});

const report = {
  scenario: 'throughput',
  about: 'what gets done',
  database: 'postgres',
  series: [
    series('throughline-20', 'Throughline & more', [round(900), round(1100), round(5000)]),
    series('other', 'Other', [round(300), round(200, { ...NONE, lost: 7 }), round(250)]),
  ],
  measures: [ratio('ours ÷ other', [900, 1100, 5000], [300, 200, 250], { least: 6 }), measure('seconds', [4], 's', { most: 3 })],
  notes: ['without Redis'],
};

describe('reports', () => {
  it('hold medians of rates, medians of ratios of one round, and the worst faults of any', () => {
    expect(report.series[0]).toMatchObject({ median: { donePerSecond: 1100, startMs: { p99: 4 } }, faults: NONE });
    expect(report.series[1]).toMatchObject({ median: { donePerSecond: 250 }, faults: { ...NONE, lost: 7 } });
    expect(report.measures).toMatchObject([
      { median: 5.5, values: [3, 5.5, 20], holds: false },
      { median: 4, holds: false },
    ]);
  });

  it('are tables that stand on their own in a terminal', () => {
    const text = reportText(report);
    expect(text).toContain('Throughline & more');
    expect(text).toMatch(/Other +500 +250 .* 7 +0 +0 +0/);
    expect(text).toMatch(/ours ÷ other +5\.50 × +3\.00 to 20\.0 +≥ 6 × +missed/);
    expect(text).toContain('(without Redis)');
  });

  it('become the figures of the page, between its marks alone, and say when the machine was busy', () => {
    const load = { deliveries: 20_000, subjects: 1000, producers: 64 };
    const machine = { node: 'v24', platform: 'linux x64', cpus: 2, cpu: 'some', memoryGb: 8 };
    const figures = figuresText({ at: '2026-01-05T00:00:00Z', machine, size: 'full', load, rounds: 3, reports: [report] });
    expect(figures).toContain('20,000 deliveries over 1,000 subjects by 64 producers');
    expect(figures).toContain('**Preliminary**: other programs used up to 0.9 CPUs');
    expect(figures).toContain('![Deliveries done a second, of each system](performance.svg)');
    const page = 'before\n<!-- figures: written by npm run bench -- --write -->\nold\n<!-- end of figures -->\nafter\n';
    const written = withFigures(page, figures);
    expect(written.startsWith('before\n')).toBe(true);
    expect(written.endsWith('<!-- end of figures -->\nafter\n')).toBe(true);
    expect(written).not.toContain('old');
    expect(() => withFigures('no marks', figures)).toThrow('has lost its marks');
  });

  it('become a picture whose faulty systems are drawn as such', () => {
    const svg = picture([report]);
    expect(svg).toContain('Throughline &amp; more');
    expect(svg).toMatch(/class="ours"[^>]*width="380"/);
    expect(svg).toMatch(/class="faulty"[^>]*width="86"/);
    expect(svg).toContain('7 lost');
    expect(svg).toContain('prefers-color-scheme: dark');
  });
});

describe('a profile', () => {
  const frame = (id: number, functionName: string, url: string) => ({ id, callFrame: { functionName, url, lineNumber: 4 } });
  const profile = {
    startTime: 1_000_000,
    nodes: [
      frame(1, '(idle)', ''),
      frame(2, 'admit', 'file:///somewhere/dist/src/core/admit.js'),
      frame(3, 'query', 'file:///somewhere/node_modules/pg/lib/client.js'),
      frame(4, '(garbage collector)', ''),
    ],
    samples: [2, 2, 1, 3, 4, 2],
    timeDeltas: [0, 1000, 1000, 5000, 2000, 1000],
  };

  it('gives each function and area its own busy time within the window', () => {
    const { seconds, areas, functions } = selfTimes(profile, { from: 1001, to: 1009.5 });
    expect(seconds).toBeCloseTo(0.004);
    expect(functions.map(({ name, milliseconds }: { name: string; milliseconds: number }) => [name, milliseconds])).toEqual([
      ['query pg/lib/client.js:5', 2],
      ['admit dist/src/core/admit.js:5', 1],
      ['(garbage collector)', 1],
    ]);
    expect(areas.map(({ name }: { name: string }) => name)).toEqual(['pg', 'Throughline: src/core', 'garbage collection']);
  });
});
