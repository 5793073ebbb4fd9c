import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { TurnEvent, TurnInput } from '../../src/plugin/index.js';
import { createRuntime } from '../../src/runtimes/create-runtime.js';
import { failure, run, statusesOf, textOf, turnInput } from './turns.js';

// Each test starts processes, which takes its time on a busy machine.
jest.setTimeout(60_000);

const AGENTS = { 'claude-code': 'claude', codex: 'codex', gemini: 'gemini' } as const;
const BEGINS_ANEW = 'the agent no longer knows its earlier session: it begins anew';
let home = '';
let workspace = '';

beforeEach(() => {
  home = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'throughline-preset-')));
  workspace = path.join(home, 'work');
  mkdirSync(workspace);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function runtime(preset: keyof typeof AGENTS, options: object = {}) {
  const program = fileURLToPath(new URL(`../fakes/agents/${AGENTS[preset]}.mjs`, import.meta.url));
  return createRuntime('process', { preset, command: [process.execPath, program], env: { HOME: home }, ...options });
}

function turn(id: string, session: string | null, ...lines: string[]): TurnInput {
  const input = turnInput(lines.join('\n'));
  return { ...input, turn: { ...input.turn, id, trust: 'trusted' }, session, workspace };
}

function starts(): string[][] {
  const lines = readFileSync(path.join(home, 'starts.log'), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as string[]);
}

function sessionsOf(events: readonly TurnEvent[]): string[] {
  return events.flatMap((event) => (event.type === 'session' ? [event.id] : []));
}

function resultOf(events: readonly TurnEvent[]): string | undefined {
  return events.flatMap((event) => (event.type === 'result' ? [event.text] : [])).at(-1);
}

/** What a turn that fails says before it does. */
async function untilFailure(preset: keyof typeof AGENTS, input: TurnInput, options: object = {}) {
  const events: TurnEvent[] = [];
  const turnOf = async () => {
    for await (const event of runtime(preset, options).startTurn(input, new AbortController().signal)) events.push(event);
  };
  return { error: await failure(turnOf()), events };
}

describe('Claude Code', () => {
  it('TRN-2 has an id of ours that is known before it begins, and goes on under it', async () => {
    const first = await run(runtime('claude-code'), turn('c.1', null, '!say one', '!tool Bash', '!helper no', '!say two', '!retry'));
    expect(first.slice(0, 2).map(({ type }) => type)).toEqual(['session', 'process']);
    expect([textOf(first), resultOf(first)]).toEqual(['one\n\ntwo', '1 turns']);
    expect(first).toContainEqual({ type: 'tool', name: 'Bash', input: { a: 1 } });
    expect(first).toContainEqual({ type: 'cost', usd: 0.5 });
    expect(statusesOf(first)).toEqual(['the model is asked again (try 2)']);
    const [id = ''] = sessionsOf(first);
    const second = await run(runtime('claude-code'), turn('c.2', id));
    expect([resultOf(second), sessionsOf(second)]).toEqual(['2 turns', []]);
    expect(starts().map((args) => args.slice(-2))).toEqual([
      ['--session-id', id],
      ['--resume', id],
    ]);
  });

  it('RST-1 has another id after a reset', async () => {
    const [first] = sessionsOf(await run(runtime('claude-code'), turn('c.1', null)));
    const after = await run(runtime('claude-code'), turn('c.2', null));
    expect(sessionsOf(after)).not.toEqual([first]);
    expect(resultOf(after)).toBe('1 turns');
  });

  it('REC-1 begins its session where the server died before it did, and resumes where it died after', async () => {
    const id = '0b4f3c62-58ee-5b7e-9d3a-0c6a8a9b1d11';
    const never = await run(runtime('claude-code'), turn('c.2', id));
    expect([resultOf(never), statusesOf(never)]).toEqual(['1 turns', ['the agent has no session of its conversation here: it begins one']]);
    const { error } = await untilFailure('claude-code', turn('c.3', null, '!die'));
    expect(error.message).toBe('exit code 1');
    // The same turn once more, as after a server that died before it could store the id: the session is in use, and ours.
    expect(resultOf(await run(runtime('claude-code'), turn('c.3', null)))).toBe('2 turns');
    expect(starts().map((args) => args.at(-2))).toEqual(['--resume', '--session-id', '--session-id', '--session-id', '--resume']);
  });

  it('finds no session from another folder, and gives up when both ways are refused', async () => {
    const [id = ''] = sessionsOf(await run(runtime('claude-code'), turn('c.1', null)));
    const elsewhere = path.join(home, 'elsewhere');
    mkdirSync(elsewhere);
    expect(resultOf(await run(runtime('claude-code'), { ...turn('c.2', id), workspace: elsewhere }))).toBe('1 turns');
    const { error } = await untilFailure('claude-code', turn('c.9', null), { env: { HOME: home, ALWAYS_IN_USE: '1' } });
    expect(error).toMatchObject({ message: 'exit code 1', detail: expect.stringContaining('is already in use') });
    expect(starts()).toHaveLength(3 + 3);
  });

  it('FIF-5 fails by its own words, and where it says no result', async () => {
    const failed = await untilFailure('claude-code', turn('c.1', null, '!say x', '!fail Credit balance is too low'));
    expect(failed.error.message).toBe('the agent failed: Credit balance is too low');
    expect(failed.events).toContainEqual({ type: 'cost', usd: 0.5 });
    expect(statusesOf(failed.events)).toEqual(['not allowed: Bash']);
    const limited = await untilFailure('claude-code', turn('c.2', null, '!max-turns'));
    expect(limited.error.message).toBe('the agent stopped in the middle: it reached its limit of turns');
    const left = await untilFailure('claude-code', turn('c.3', null, '!leave'));
    expect(left.error.message).toBe('the agent ended without saying that it is done');
  });

  it('FIF-8 takes a message while it works, and does not end before it has seen it', async () => {
    const agent = runtime('claude-code');
    const more = turnInput('!say more').turn.messages;
    const steered = async (input: TurnInput, when: (event: TurnEvent) => boolean) => {
      const events: TurnEvent[] = [];
      let taken: Promise<boolean> | undefined;
      for await (const event of agent.startTurn(input, new AbortController().signal)) {
        events.push(event);
        if (taken === undefined && when(event)) taken = agent.append?.(input.turn.id, more);
      }
      expect(await taken).toBe(true);
      return events;
    };
    const joined = await steered(turn('c.1', null, '!say one', '!listen', '!say two'), ({ type }) => type === 'text');
    expect([textOf(joined), resultOf(joined)]).toEqual(['one\n\nmore\n\ntwo', '1 turns']);
    // One that was busy takes it up behind its first result.
    const queued = await steered(turn('c.2', null, '!say one'), ({ type }) => type === 'process');
    expect([textOf(queued), resultOf(queued)]).toEqual(['one\n\nmore', '1 turns']);
    expect(queued.flatMap((event) => (event.type === 'cost' ? [event.usd] : []))).toEqual([0.5, 0.5]);
    expect(await agent.append?.('c.2', more)).toBe(false);
    const died = turn('c.3', null, '!say one', '!listen', '!die');
    expect((await failure(steered(died, ({ type }) => type === 'text'))).message).toMatch(/exit code 1/);
    // The others have their whole input when they begin.
    expect(['codex', 'gemini'].map((preset) => runtime(preset as keyof typeof AGENTS).append)).toEqual([undefined, undefined]);
  });

  it('WSP-3 is given its tools without their token among its arguments, and what the configuration adds', async () => {
    const mcp = { url: 'http://127.0.0.1:1/mcp', token: 'tok-1' };
    const input = { ...turn('c.1', null, '!mcp'), mcp };
    const events = await run(runtime('claude-code', { args: ['--permission-mode', 'acceptEdits'] }), input);
    const [, config = '', token] = /^(.*) (\S+)$/.exec(textOf(events)) ?? [];
    expect(token).toBe('tok-1');
    const headers = { Authorization: `Bearer \${THROUGHLINE_MCP_TOKEN}` };
    expect(JSON.parse(config)).toEqual({ mcpServers: { throughline: { type: 'http', url: mcp.url, headers } } });
    const [args = []] = starts();
    expect(args.join(' ')).not.toContain('tok-1');
    expect(args).toEqual(expect.arrayContaining(['--permission-mode', 'acceptEdits']));
  });
});

describe('Codex', () => {
  it('TRN-2 says its id first and goes on under it, its options before `resume`', async () => {
    const options = { args: ['--sandbox', 'workspace-write'] };
    const lines = ['!think hm', '!run ls', '!tool comment', '!reconnect', '!say one'];
    const first = await run(runtime('codex', options), turn('c.1', null, ...lines));
    expect(first.map(({ type }) => type)).toEqual(['process', 'session', 'status', 'tool', 'tool', 'status', 'text', 'text']);
    expect(textOf(first)).toBe('one\n\n1 turns');
    expect(statusesOf(first)).toEqual(['hm', 'Reconnecting... 2/5']);
    expect(first).toContainEqual({ type: 'tool', name: 'throughline.comment', input: { a: 1 } });
    const [id = ''] = sessionsOf(first);
    const second = await run(runtime('codex', options), turn('c.2', id));
    expect([textOf(second), sessionsOf(second)]).toEqual(['2 turns', []]);
    const [, args = []] = starts();
    expect(args.slice(-3)).toEqual(['resume', id, '-']);
  });

  it('begins anew where its session is gone', async () => {
    const events = await run(runtime('codex'), turn('c.2', '01890000-0000-7000-8000-000000000000'));
    expect([textOf(events), statusesOf(events)]).toEqual(['1 turns', [BEGINS_ANEW]]);
    expect(sessionsOf(events)).toHaveLength(1);
  });

  it('FIF-5 fails by its own words or its exit, and is done where it said so', async () => {
    expect((await untilFailure('codex', turn('c.1', null, '!fail no quota'))).error.message).toBe('the agent failed: no quota');
    expect((await untilFailure('codex', turn('c.2', null, '!reconnect', '!die'))).error.message).toBe('exit code 1');
    expect(textOf(await run(runtime('codex'), turn('c.3', null, '!untidy')))).toBe('1 turns');
  });

  it('WSP-3 is given its tools without their token among its arguments', async () => {
    const mcp = { url: 'http://127.0.0.1:1/mcp', token: 'tok-1' };
    await run(runtime('codex'), { ...turn('c.1', null), mcp });
    const [args = []] = starts();
    expect(args).toEqual(expect.arrayContaining(['-c', 'mcp_servers.throughline.url="http://127.0.0.1:1/mcp"']));
    expect(args.join(' ')).not.toContain('tok-1');
  });
});

describe('Gemini', () => {
  it('goes on under the id that it said', async () => {
    const first = await run(runtime('gemini'), turn('c.1', null, '!say al pha', '!tool shell', '!warn slow'));
    expect(textOf(first)).toBe('alpha\n\n1 turns');
    expect(statusesOf(first)).toEqual(['Loaded cached credentials.', 'warning: slow']);
    const [id = ''] = sessionsOf(first);
    expect(textOf(await run(runtime('gemini'), turn('c.2', id)))).toBe('2 turns');
    expect(starts()[1]).toEqual(['-o', 'stream-json', '-r', id, '-p', 'Work on the messages above.']);
  });

  it('begins anew where its session is gone, fails by its own words, and says that it has no tools', async () => {
    const input = { ...turn('c.1', 'gone'), mcp: { url: 'http://127.0.0.1:1/mcp', token: 't' } };
    const events = await run(runtime('gemini'), input);
    expect(textOf(events)).toBe('1 turns');
    expect(statusesOf(events)).toEqual([expect.stringContaining('without those of its conversation'), BEGINS_ANEW, expect.any(String)]);
    expect((await untilFailure('gemini', turn('c.2', null, '!fail quota'))).error.message).toBe('the agent failed: quota');
  });
});

describe('every preset', () => {
  const running = (script: string) => ({ command: [process.execPath, '-e', script, '--'] });
  const presets = Object.keys(AGENTS) as (keyof typeof AGENTS)[];

  it.each(presets)(
    'FIF-5 %s fails in a sentence where the program prints garbage without end, half frames, and nothing else',
    async (preset) => {
      const garbage = "for (let i = 0; i < 6000; i++) console.log(i + ' x'.repeat(1000))";
      const halves = `for (const frame of ['[]', '{"type":7}', '{"type":"item.completed","item":[]}', '{"type":"result"', '{"type":"assistant","message":7}']) console.log(frame)`;
      const { error, events } = await untilFailure(preset, turn('c.1', null, 'hello'), running(`${garbage}; ${halves}`));
      expect(error.message).toMatch(/^the agent ended without saying that it is done/);
      expect(statusesOf(events).join('').length).toBeLessThanOrEqual(4 * 1024 * 1024 + 200);
      expect(resultOf(events)).toBeUndefined();
    },
  );

  it.each(presets)('TRN-7 %s is ended where the program hangs, and says so', async (preset) => {
    const { error } = await untilFailure(preset, turn('c.1', null, 'hello'), {
      ...running('setInterval(() => {}, 1000)'),
      idleTimeoutMs: 500,
    });
    expect(error.message).toBe('timed out after 500ms without output');
  });

  it('says what to do where its program is missing', async () => {
    const missing = createRuntime('process', { preset: 'codex', command: ['no-such-codex'] });
    expect(await missing.check?.()).toContain('no-such-codex is not on the PATH');
    expect((await failure(run(missing, turn('c.1', null)))).message).toContain('no-such-codex is not on the PATH');
  });
});
