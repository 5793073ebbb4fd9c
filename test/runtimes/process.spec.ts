import { describe, expect, it, jest } from '@jest/globals';
import type { TurnEvent } from '../../src/plugin/index.js';
import { createRuntime } from '../../src/runtimes/create-runtime.js';
import { failure, folder, lives, run, statusesOf, textOf, turnInput } from './turns.js';

const agent = (name: string, options: object = {}, ...args: string[]) =>
  createRuntime('process', { command: [process.execPath, `${folder}agents/${name}.mjs`, ...args], ...options });
const script = (source: string, options: object = {}) =>
  createRuntime('process', { command: [process.execPath, '-e', source], ...options });
const sh = (source: string, options: object = {}) => createRuntime('process', { command: ['/bin/sh', '-c', source], ...options });
// Each test starts processes, which takes its time on a busy machine.
jest.setTimeout(60_000);

const NEVER = 'setInterval(() => {}, 1000)';

describe('a process that works on a turn', () => {
  it('TRN-11 gets one document, and what it says comes in order with its result last', async () => {
    const events = await run(agent('speaker'), turnInput('one', 'two'));
    expect(events.map(({ type }) => type)).toEqual(['process', 'status', 'session', 'tool', 'cost', 'text', 'text', 'result']);
    expect(events).toContainEqual({ type: 'session', id: 'session-7' });
    expect(events).toContainEqual({ type: 'tool', name: 'grep', input: { pattern: 'x' } });
    expect(events).toContainEqual({ type: 'cost', usd: 0.25 });
    expect(events.at(-1)).toEqual({ type: 'result', text: 'done: one | two' });
    const { conversation, turn, session, workspace } = turnInput('one', 'two');
    expect(JSON.parse((events[5] as { text: string }).text)).toEqual({ version: 1, conversation, turn, session, workspace, mcp: null });
  });

  it('WSP-3 sees listed variables, those of its configuration and those passed on, and no other of the server', async () => {
    process.env['SOME_SECRET'] = 'hidden';
    process.env['PASSED_ON'] = 'visible';
    process.env['THROUGHLINE_ADMIN_TOKEN'] = 'hidden';
    try {
      const events = await run(agent('speaker', { env: { OWN: 'own', THROUGHLINE_TURN_ID: 'forged' }, passEnv: ['PASSED_ON', 'NOT_SET'] }));
      const { env, cwd } = JSON.parse((events[6] as { text: string }).text) as { env: Record<string, string>; cwd: string };
      expect(`${cwd}/`).toBe(folder);
      expect(env).toMatchObject({
        OWN: 'own',
        PASSED_ON: 'visible',
        PATH: process.env['PATH'],
        THROUGHLINE_CONVERSATION_ID: 'c-1',
        THROUGHLINE_TURN_ID: 't-1',
        THROUGHLINE_SESSION_ID: 's-0',
        THROUGHLINE_WORKSPACE: folder,
      });
      expect(Object.values(env)).not.toContain('hidden');
      const allowed =
        /^(PATH|HOME|LANG|LC_.*|TERM|TZ|TMPDIR|USER|OWN|PASSED_ON|THROUGHLINE_(CONVERSATION|TURN|SESSION)_ID|THROUGHLINE_WORKSPACE)$/;
      expect(Object.keys(env).filter((name) => !allowed.test(name))).toEqual([]);
    } finally {
      delete process.env['SOME_SECRET'];
      delete process.env['PASSED_ON'];
      delete process.env['THROUGHLINE_ADMIN_TOKEN'];
    }
  });

  it('need not read its input, however much it is', async () => {
    expect(textOf(await run(sh('exec 0<&-; echo fine', { output: 'text' }), turnInput('x'.repeat(2_000_000))))).toBe('fine\n');
  });

  it('B49 begins only when its group was taken note of', async () => {
    const turn = agent('speaker').startTurn(turnInput('x'), new AbortController().signal)[Symbol.asyncIterator]();
    const { value: started } = (await turn.next()) as { value: Extract<TurnEvent, { type: 'process' }> };
    expect(started.startedAt).toMatch(/./);
    expect(await lives(started.pid)).toBe(true);
    await turn.return?.();
    expect(await lives(started.pid)).toBe(false);
  });
});

describe('how a process ends', () => {
  it('FIF-5 fails the attempt with its exit code and the end of its stderr', async () => {
    const error = await failure(run(script("process.stderr.write('€'.repeat(3000) + ' no key'); process.exitCode = 3")));
    expect(error.message).toBe('exit code 3');
    expect(error.detail).toMatch(/^€+ no key$/);
    expect(Buffer.byteLength(error.detail ?? '')).toBeLessThanOrEqual(4096);
  });

  it('FIF-5 fails the attempt with the signal that ended it', async () => {
    expect(await failure(run(sh('kill -9 $$')))).toMatchObject({ message: 'signal SIGKILL', detail: null });
  });

  it('fails with what to do when the command is missing, is no program, or its folder is missing', async () => {
    const missing = createRuntime('process', { command: ['no-such-agent'] });
    expect((await failure(run(missing))).message).toContain('no-such-agent is not on the PATH; install it');
    expect(await missing.check?.()).toContain('no-such-agent is not on the PATH');
    const noProgram = createRuntime('process', { command: [`${folder}turns.ts`] });
    expect((await failure(run(noProgram))).message).toContain('is no executable file');
    const nowhere = script('', { cwd: '/no/such/folder' });
    expect((await failure(run(nowhere))).message).toContain('the folder /no/such/folder does not exist');
    expect(await nowhere.check?.()).toContain('/no/such/folder');
    expect(await createRuntime('process', { command: ['sh'] }).check?.()).toBeNull();
  });

  it('TRN-7 is ended when its wall time is over, however much it says', async () => {
    const chatty = script("setInterval(() => console.log('{}'), 5)", { timeoutMs: 700, idleTimeoutMs: 600_000 });
    expect((await failure(run(chatty))).message).toBe('timed out after 700ms');
  });

  it('TRN-7 is ended when it is silent for its idle time', async () => {
    const silent = sh('echo "{}"; echo thinking >&2; sleep 600', { timeoutMs: 600_000, idleTimeoutMs: 1_000 });
    expect(await failure(run(silent))).toMatchObject({ message: 'timed out after 1s without output', detail: 'thinking\n' });
    const closed = sh('exec 1>&-; sleep 600', { idleTimeoutMs: 300 });
    expect((await failure(run(closed))).message).toBe('timed out after 300ms without output');
  });

  it('TRN-7 is not silent while it waits for us to take its output', async () => {
    const runtime = sh('head -c 1300000 /dev/zero | tr "\\0" x', { output: 'text', idleTimeoutMs: 1_500 });
    let length = 0;
    for await (const event of runtime.startTurn(turnInput('x'), new AbortController().signal)) {
      if (event.type !== 'text') continue;
      if (length === 0) await new Promise((resolve) => setTimeout(resolve, 2_000));
      length += event.text.length;
    }
    expect(length).toBe(1_300_000);
  });

  it('is gone with all of its group when it is stopped, also where nobody heeds SIGTERM', async () => {
    const control = new AbortController();
    const reason = new Error('stopped by a person');
    const pids: number[] = [];
    const turn = (async () => {
      for await (const event of agent('stubborn', { graceMs: 100 }).startTurn(turnInput('x'), control.signal)) {
        if (event.type !== 'text') continue;
        pids.push(...event.text.split(' ').map(Number));
        control.abort(reason);
      }
    })();
    await expect(turn).rejects.toBe(reason);
    expect(pids).toHaveLength(2);
    expect(await Promise.all(pids.map(lives))).toEqual([false, false]);
  });

  it('is stopped when the turn was aborted before it began', async () => {
    await expect(run(script(NEVER), turnInput('x'), AbortSignal.abort('early'))).rejects.toBe('early');
  });

  it('takes what it left behind in its group with it, and completes', async () => {
    const events = await run(agent('leaver', { graceMs: 1_000 }));
    expect(await lives(Number(textOf(events)))).toBe(false);
  });

  it('does not wait for one that left the group and holds its pipe open', async () => {
    const started = performance.now();
    const events = await run(agent('leaver', { graceMs: 1_000 }, 'daemon'));
    const pid = Number(textOf(events));
    expect(await lives(pid)).toBe(true);
    process.kill(pid, 'SIGKILL');
    expect(performance.now() - started).toBeLessThan(50_000);
  });
});

describe('what a process prints', () => {
  it('is kept as short status where it is no event', async () => {
    const lines = [
      'plain words',
      '{"type":"text"',
      '[1]',
      'null',
      '{"type":"text","text":3}',
      '{"type":"session","id":""}',
      '{"type":"cost","usd":-1}',
      '{"type":"cost","usd":1e999}',
      '{"type":"process","pid":1,"startedAt":"x"}',
      '{"type":"constructor"}',
      'y'.repeat(5_000),
    ];
    const events = await run(script(`for (const line of ${JSON.stringify(lines)}) console.log(line)`));
    expect(statusesOf(events)).toEqual([...lines.slice(0, -1), `${'y'.repeat(1_999)}…`]);
    expect(events.map(({ type }) => type).filter((type) => type !== 'status')).toEqual(['process']);
  });

  it('says that an approval has no way to be answered', async () => {
    expect(statusesOf(await run(script(`console.log('{"type":"approval","id":"1","title":"Send it?","body":""}')`)))[0]).toContain(
      'whose answer cannot reach it (its input is closed; agents of the kind acp can ask): Send it?',
    );
  });

  it('is status where an event is only half of one, and no amount where it costs more than there is', async () => {
    const lines = [
      '{"type":"approval","title":{"toString":1}}',
      '{"type":"text","text":{}}',
      '{"type":"cost","usd":1e308}',
      '{"type":"__proto__"}',
    ];
    const events = await run(script(`console.log(${JSON.stringify(lines.join('\n'))})`));
    expect(statusesOf(events)).toEqual([expect.stringMatching(/^the agent asks for an approval.*: \(no title\)$/), ...lines.slice(1)]);
  });

  it('is read across chunks, line ends of both kinds, blank lines and a missing last one', async () => {
    const source = `
      const out = Buffer.from('{"type":"text","text":"zażółć 😀"}\\r\\n\\n{"type":"text","text":" end"}');
      let at = 0;
      const next = () => { if (at < out.length) process.stdout.write(out.subarray(at, at += 1), () => setImmediate(next)); };
      next();`;
    expect(textOf(await run(script(source)))).toBe('zażółć 😀 end');
  });

  it('is text, character by character whole, where the output is text', async () => {
    const source = "const out = Buffer.from('a€😀\\n'); for (const byte of out) require('fs').writeSync(1, Buffer.from([byte]))";
    const events = await run(script(source, { output: 'text' }));
    expect(textOf(events)).toBe('a€😀\n');
    expect(textOf(await run(script("require('fs').writeSync(1, Buffer.from([97, 0, 0xff]))", { output: 'text' })))).toBe('a\uFFFD\uFFFD');
  });

  it('is cut where a line is over 1 MB, and the next line counts again', async () => {
    const events = await run(
      script('const line = \'x\'.repeat(3 * 1024 * 1024); console.log(line); console.log(\'{"type":"text","text":"after"}\')'),
    );
    expect(statusesOf(events)).toEqual([`${'x'.repeat(1_999)}… (a line over 1 MB was cut)`]);
    expect(textOf(events)).toBe('after');
  });

  it('is bounded, which is said once, while the agent runs on to its result', async () => {
    const source = `
      const line = JSON.stringify({ type: 'text', text: 'x'.repeat(1000) }) + '\\n';
      for (let i = 0; i < 10000; i++) require('fs').writeSync(1, line);
      console.log('{"type":"result","text":"all said"}');`;
    const events = await run(script(source));
    expect(textOf(events).length).toBeLessThanOrEqual(4 * 1024 * 1024);
    expect(textOf(events).length).toBeGreaterThan(4_000_000);
    expect(statusesOf(events)).toEqual(['the agent printed more than 4 MB: the rest of its output is dropped']);
    expect(events.at(-1)).toEqual({ type: 'result', text: 'all said' });
  });

  it('is made storable, and too much input of a tool is left out', async () => {
    const source = `
      console.log('{"type":"text","text":"a\\\\u0000b\\\\ud800"}');
      console.log(JSON.stringify({ type: 'tool', name: 'write', input: { text: 'x'.repeat(100000) } }));
      console.log('{"type":"tool","name":"deep","input":' + '['.repeat(100000) + ']'.repeat(100000) + '}');`;
    const events = await run(script(source));
    expect(textOf(events)).toBe('a\uFFFDb\uFFFD');
    expect(events).toContainEqual({ type: 'tool', name: 'write', input: '(100011 characters of input)' });
    expect(events.at(-1)).toEqual({ type: 'tool', name: 'deep', input: expect.stringMatching(/^\(.*\)$/) });
  });
});
