import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { REMOTE_DEFAULTS, RemoteSandboxes } from '../../../src/automations/sandboxes/remote/remote-sandboxes.js';
import type { SandboxCommand, SandboxRequest } from '../../../src/automations/sandboxes/sandbox-kind.js';
import { FakeSandboxApi } from '../../fakes/sandbox-api/sandbox-api.js';
import { until } from '../../worker/harness.js';
import { tar } from './tarballs.js';

const KEY = 'cloud-key';
const QUICK = {
  ...REMOTE_DEFAULTS,
  readyMs: 2_000,
  pollMs: 1,
  wakePollMs: 1,
  timeoutMs: 300,
  patience: { tries: 3, firstMs: 1, mostMs: 1 },
};

describe('sandboxes of an API', () => {
  let api: FakeSandboxApi;
  let kind: RemoteSandboxes;
  let request: SandboxRequest;
  let made: string[];
  const signal = new AbortController().signal;

  beforeEach(async () => {
    api = await FakeSandboxApi.listen(KEY);
    kind = new RemoteSandboxes({ ...QUICK, url: api.url, apiKey: KEY });
    request = { id: randomUUID(), remoteId: null, org: 'default', run: randomUUID(), conversation: randomUUID(), folder: '/nowhere' };
    made = [];
  });
  afterEach(() => api.close());

  const onMade = async ({ remoteId }: { remoteId: string | null }) => void made.push(remoteId ?? 'none');
  const create = () => kind.create(request, onMade, signal);
  const ref = () => ({ id: request.id, remoteId: made[0] ?? null });

  it('AUT-11 one is made, told of before it is ready, and ready when its agent server has an address', async () => {
    api.start = { status: 'RUNNING', asks: 3 };
    const { remoteId, place } = await create();
    expect(made).toEqual([remoteId]);
    expect(place).toEqual({ url: `${api.url}/box/${remoteId}`, apiKey: `session-${remoteId}` });
    expect(api.calls.map(({ method }) => method)).toEqual(['POST', 'GET', 'GET', 'GET', 'GET']);
  });

  it('AUT-11 what was made before a crash is waited for, and not made again', async () => {
    const { remoteId } = await create();
    await kind.create({ ...request, remoteId }, onMade, signal);
    expect(api.sandboxes.size).toBe(1);
  });

  it.each(['drop', 'break', 'hang'] as const)(
    'AUT-11 a creation that is taken and then does %s is repeated under the same key',
    async (manner) => {
      api.once((call) => call.method === 'POST', manner);
      await expect(create()).rejects.toMatchObject({ code: 'outcome_unknown' });
      expect(made).toEqual([]);
      await create();
      expect(api.sandboxes.size).toBe(1);
    },
  );

  it('AUT-11 a limit of the account is nobody’s failure and is not asked again', async () => {
    for (const body of [{ error: 'CONCURRENCY_LIMIT_REACHED' }, { detail: { error: 'CONCURRENCY_LIMIT_REACHED' } }]) {
      api.manner = () => ({ status: 429, body });
      await expect(create()).rejects.toMatchObject({ name: 'SandboxRefused', how: 'skipped' });
    }
    expect(api.calls).toHaveLength(2);
  });

  it('AUT-11 too many questions are asked again after a pause, and not for ever', async () => {
    api.once((call) => call.method === 'POST', { status: 429, body: {} });
    await create();
    api.manner = () => ({ status: 429, body: {} });
    await expect(kind.pause(ref(), signal)).rejects.toMatchObject({ kind: 'transient' });
  });

  it.each([401, 403])('AUT-11 a key that is refused with %i is a person’s matter, and stands in no message', async (status) => {
    api.manner = () => ({ status, body: { detail: KEY } });
    const refused = await create().catch((error: Error) => error);
    expect(refused).toMatchObject({ name: 'SandboxRefused', how: 'failed', message: expect.stringContaining('apiKey') });
    expect(String((refused as Error).message)).not.toContain(KEY);
  });

  it.each([
    ['ERROR', 'ERROR: E1: no image'],
    ['MISSING', 'MISSING'],
  ])('AUT-11 one that comes to %s did not start, and the reason is told', async (status, why) => {
    api.start = { status, asks: 1 };
    await expect(create()).rejects.toMatchObject({ name: 'SandboxRefused', message: expect.stringContaining(why) });
    expect(made).toHaveLength(1);
  });

  it('AUT-11 one that runs without an agent server did not start', async () => {
    api.exposes = 'VSCODE';
    await expect(create()).rejects.toThrow('without an address');
  });

  it('AUT-11 one that does not start within its time may start another time', async () => {
    api.start = { status: 'RUNNING', asks: 1_000_000 };
    kind = new RemoteSandboxes({ ...QUICK, readyMs: 20, url: api.url, apiKey: KEY });
    await expect(create()).rejects.toMatchObject({ kind: 'transient' });
  });

  it('AUT-11 one that cannot be asked for is not taken for gone', async () => {
    await create();
    api.manner = () => ({ status: 500, body: {} });
    expect(await kind.health(ref(), signal)).toMatchObject({ state: 'unknown' });
    api.manner = () => 'ok';
    expect(await kind.health(ref(), signal)).toMatchObject({ state: 'ready' });
    api.sandboxes.clear();
    expect(await kind.health(ref(), signal)).toMatchObject({ state: 'gone' });
    expect(await kind.health({ id: request.id, remoteId: null }, signal)).toMatchObject({ state: 'gone' });
  });

  it('AUT-5 a paused one is woken, within the time that there is', async () => {
    const { place } = await create();
    await kind.pause(ref(), signal);
    expect(await kind.health(ref(), signal)).toEqual({ state: 'paused' });
    expect(await kind.resume(ref(), signal)).toEqual(place);
    api.start = { status: 'STARTING', asks: 0 };
    await kind.pause(ref(), signal);
    expect(await kind.resume(ref(), AbortSignal.timeout(30))).toBeNull();
  });

  it('AUT-11 one is removed as often as it takes, and one that is gone is removed', async () => {
    await create();
    api.once((call) => call.method === 'DELETE', { status: 500, body: {} });
    await expect(kind.remove(ref(), signal)).rejects.toThrow('500');
    await kind.remove(ref(), signal);
    expect(api.sandboxes.size).toBe(0);
    await kind.remove(ref(), signal);
    await kind.remove({ id: request.id, remoteId: null }, signal);
  });

  describe('what is started in one', () => {
    let folder: string;
    let files: string;

    beforeEach(() => {
      folder = mkdtempSync(path.join(os.tmpdir(), 'throughline-files-'));
      files = path.join(folder, 'tarball');
    });
    afterEach(() => rmSync(folder, { recursive: true, force: true }));

    const at = (name: string) => api.file(`/tmp/throughline-${request.run}/${name}`);
    const command = (entrypoint: string, change: Partial<SandboxCommand> = {}): SandboxCommand => ({
      ...{ tarball: { file: files }, entrypoint, event: '{"trigger":"event"}', timeoutMs: 60_000 },
      environment: { THROUGHLINE_RUN_ID: request.run, TOKEN: "it's\n$HOME `x`" },
      ...change,
    });
    const begin = async (entrypoint: string, script: string, setup = '') => {
      const { place } = await create();
      writeFileSync(files, tar({ path: 'go.sh', body: script }, ...(setup === '' ? [] : [{ path: 'setup.sh', body: setup }])));
      const id = await kind.start(ref(), place, command(entrypoint), signal);
      const status = () => kind.status(ref(), place, id, signal);
      const end = async () => {
        await until(async () => (await status()).state === 'exited');
        return status();
      };
      return { place, id, status, end };
    };

    it('AUT-11 has its environment and its event, after setup.sh, and no file holds the environment by then', async () => {
      const script =
        'printf "%s|" "$TOKEN" "$(cat "$THROUGHLINE_EVENT")" "$1" "$(cat made)"; ls $(dirname "$THROUGHLINE_EVENT") | tr "\\n" " "';
      const { end } = await begin('bash go.sh arg', script, 'ls "$(dirname "$THROUGHLINE_EVENT")" | grep -c environment > made || true');
      expect(await end()).toEqual({
        ...{ state: 'exited', code: 0, stderr: '' },
        stdout: `it's\n$HOME \`x\`|{"trigger":"event"}|arg|0|event.json group start.sh `,
      });
      expect(statSync(at('')).mode & 0o777).toBe(0o700);
    });

    it('AUT-11 the environment lies there for its user alone until it is read', async () => {
      const { place } = await create();
      writeFileSync(files, tar({ path: 'go.sh', body: '' }));
      let mode = 0;
      api.manner = (call) => {
        if (call.path.endsWith('start_bash_command')) mode = statSync(at('environment')).mode & 0o777;
        return 'ok';
      };
      await kind.start(ref(), place, command('bash go.sh'), signal);
      expect(mode).toBe(0o600);
    });

    it('AUT-11 its end is told with its code and what it printed', async () => {
      const { end } = await begin('bash go.sh', 'echo out; echo err >&2; exit 3');
      expect(await end()).toEqual({ state: 'exited', code: 3, stdout: 'out\n', stderr: 'err\n' });
    });

    it('AUT-11 a setup.sh that fails ends it', async () => {
      const { end } = await begin('bash go.sh', 'echo never', 'exit 7');
      expect(await end()).toMatchObject({ code: 7, stdout: '' });
    });

    it('AUT-11 what nobody knows to have begun is looked for, and not begun twice', async () => {
      api.once((call) => call.path.endsWith('start_bash_command'), 'drop');
      const { end } = await begin('bash go.sh', 'echo once');
      expect(await end()).toMatchObject({ code: 0, stdout: 'once\n' });
      expect(api.commands.filter((each) => each.command.includes('start.sh'))).toHaveLength(1);
    });

    it('AUT-11 where it cannot be begun its environment does not stay', async () => {
      const { place } = await create();
      writeFileSync(files, tar({ path: 'go.sh', body: '' }));
      api.manner = (call) => (call.path.endsWith('start_bash_command') ? { status: 500, body: {} } : 'ok');
      await expect(kind.start(ref(), place, command('bash go.sh'), signal)).rejects.toThrow('500');
      expect(readFileSync(at('start.sh'), 'utf8')).toContain('exec');
      expect(api.isThere(at('environment'))).toBe(false);
    });

    it('AUT-9 is stopped with all that it has started', async () => {
      const { place, id, end } = await begin(
        'bash go.sh',
        'sleep 600 & echo $! > child; echo begun > "$(dirname "$THROUGHLINE_EVENT")/begun"; wait',
      );
      await until(async () => api.isThere(at('begun')));
      const child = Number(readFileSync(api.file('/workspace/project/child'), 'utf8'));
      await kind.stop(ref(), place, id, signal);
      expect(await end()).toMatchObject({ state: 'exited' });
      expect(() => process.kill(child, 0)).toThrow('ESRCH');
      const asked = api.commands.length;
      await kind.stop(ref(), place, id, signal);
      expect(api.commands).toHaveLength(asked);
    });

    it('names of variables that a shell would not take are refused', async () => {
      const { place } = await create();
      const wrong = command('bash go.sh', { environment: { THROUGHLINE_RUN_ID: request.run, 'A=$(x)': '1' } });
      await expect(kind.start(ref(), place, wrong, signal)).rejects.toThrow('is no name of a variable');
    });
  });
});
