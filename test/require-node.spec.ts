import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

// It has no types, so that it is JavaScript as it stands.
const guard = readFileSync('src/require-node.ts', 'utf8');

/** What the guard does where Node says that it is of the given version. */
function startedOn(version: string): { code: number | null; said: string } {
  const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });`;
  const modules = [pretend, `${guard}\nprocess.stderr.write('started');`].map((text) => `data:text/javascript,${encodeURIComponent(text)}`);
  const { status, stderr } = spawnSync(
    process.execPath,
    modules.flatMap((url) => ['--import', url]),
    { input: '', encoding: 'utf8' },
  );
  return { code: status, said: stderr };
}

describe('the version guard', () => {
  it.each(['20.20.2', '22.16.0', '18.0.0'])('ends a start on Node %s with 2 and one line that says why', (version) => {
    expect(startedOn(version)).toEqual({ code: 2, said: `throughline needs Node >= 22.17, this is ${version}\n` });
  });

  it.each(['22.17.0', '23.0.0', '24.21.0'])('lets Node %s pass', (version) => {
    expect(startedOn(version)).toEqual({ code: 0, said: 'started' });
  });

  it('names the oldest Node that package.json and scripts/run.mjs name', () => {
    const { engines } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(engines.node).toBe('>=22.17');
    expect(readFileSync('scripts/run/node.mjs', 'utf8')).toContain("OLDEST = '22.17'");
  });
});
