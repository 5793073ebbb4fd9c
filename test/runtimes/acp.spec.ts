import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { AgentRuntime, ApprovalDecision, TurnEvent, TurnInput } from '../../src/plugin/index.js';
import { createRuntime } from '../../src/runtimes/create-runtime.js';
import { failure, lives, run, statusesOf, textOf, turnInput } from './turns.js';

// Each test starts processes, which takes its time on a busy machine.
jest.setTimeout(60_000);

const AGENT = fileURLToPath(new URL('../fakes/acp-agent.mjs', import.meta.url));
const CACHE = fileURLToPath(new URL('../../.cache', import.meta.url));
const UNTRUSTED = { trust: 'untrusted' } as const;
let workspace = '';
let log = '';
const runtimes: AgentRuntime[] = [];

beforeEach(() => {
  workspace = mkdtempSync(path.join(os.tmpdir(), 'throughline-acp-'));
  log = path.join(workspace, 'agent.log');
});
afterEach(async () => {
  await Promise.all(runtimes.splice(0).map((runtime) => runtime.close?.()));
  rmSync(workspace, { recursive: true, force: true });
});

function acp(options: object = {}, ...args: string[]): AgentRuntime {
  const runtime = createRuntime('acp', { command: [process.execPath, AGENT, ...args], env: { AGENT_LOG: log }, graceMs: 500, ...options });
  runtimes.push(runtime);
  return runtime;
}

/** A turn of trusted messages, whose lines are what the agent does. */
function turn(number: number, session: string | null, ...lines: string[]): TurnInput {
  const input = turnInput(lines.join('\n'));
  return { ...input, turn: { ...input.turn, id: `t-${number}`, number, trust: 'trusted' }, session, workspace };
}

function logged(): string[] {
  return readFileSync(log, 'utf8').trim().split('\n');
}

function sessionOf(events: readonly TurnEvent[]): string {
  const event = events.find(({ type }) => type === 'session');
  return event?.type === 'session' ? event.id : 'none';
}

function pidOf(events: readonly TurnEvent[]): number {
  const [event] = events;
  return event?.type === 'process' ? event.pid : 0;
}

/** Runs a turn and does something at each of its events. */
async function during(runtime: AgentRuntime, input: TurnInput, act: (event: TurnEvent) => unknown, signal = new AbortController().signal) {
  const events: TurnEvent[] = [];
  for await (const event of runtime.startTurn(input, signal)) {
    events.push(event);
    await act(event);
  }
  return events;
}

describe('an agent that speaks the Agent Client Protocol', () => {
  it('TRN-2 is known by its process and its session before it says anything', async () => {
    const events = await run(acp(), turn(1, null, '!say hello'));
    expect(events.map(({ type }) => type)).toEqual(['process', 'session', 'text']);
    expect(sessionOf(events)).toBe(`fake-${pidOf(events)}-0`);
  });

  it('REC-1 is started from its package by npx, as docs/agents.md says, and goes on with its session', async () => {
    const folder = path.join(workspace, 'package');
    mkdirSync(folder);
    const about = { name: 'an-agent', version: '1.0.0', type: 'module', bin: { 'an-agent': 'agent.js' } };
    writeFileSync(path.join(folder, 'package.json'), JSON.stringify(about));
    writeFileSync(path.join(folder, 'agent.js'), `#!/usr/bin/env node\nawait import(${JSON.stringify(pathToFileURL(AGENT).href)});\n`);
    execFileSync('npm', ['pack', '--silent'], { cwd: folder });
    // In memory, where the folders of tests may be, nothing can be executed.
    mkdirSync(CACHE, { recursive: true });
    const cache = mkdtempSync(path.join(CACHE, 'npx-'));
    const offline = { npm_config_offline: 'true', npm_config_cache: cache };
    const command = ['npx', '-y', `file:${path.join(folder, 'an-agent-1.0.0.tgz')}`];
    const agent = acp({ command, env: { AGENT_LOG: log, ...offline } });
    const first = await run(agent, turn(1, null, '!say hello'));
    expect(textOf(first)).toBe('hello');
    await agent.close?.();
    const again = await run(acp({ command, env: { AGENT_LOG: log, ...offline } }), turn(2, sessionOf(first), '!say again'));
    expect([textOf(again), sessionOf(again)]).toEqual(['again', 'none']);
    expect(logged().filter((line) => line.startsWith('start'))).toHaveLength(2);
    rmSync(cache, { recursive: true, force: true });
  });

  it('says texts, tools, plans, thoughts and what it cost', async () => {
    const lines = ['!think hm', '!think , well', '!say one', '!tool grep', '!say two', '!plan look', '!cost 0.5', '!cost 0.75'];
    const events = await run(acp(), turn(1, null, ...lines));
    expect(textOf(events)).toBe('one\n\ntwo');
    expect(statusesOf(events)).toEqual(['hm, well', 'grep: failed', 'plan:\n[x] look']);
    expect(events).toContainEqual({ type: 'tool', name: 'grep', input: { command: 'grep' } });
    expect(events.filter(({ type }) => type === 'cost')).toEqual([
      { type: 'cost', usd: 0.5 },
      { type: 'cost', usd: 0.25 },
    ]);
  });

  it('keeps its process and session from turn to turn', async () => {
    const runtime = acp();
    const first = await run(runtime, turn(1, null, '!memory'));
    const second = await run(runtime, turn(2, sessionOf(first), '!memory'));
    expect([textOf(first), textOf(second)]).toEqual(['1 turns', '2 turns']);
    expect(pidOf(second)).toBe(pidOf(first));
    expect(second.map(({ type }) => type)).toEqual(['process', 'text']);
  });

  it('REC-1 takes its session up in a new process, whose replay of it is nothing new', async () => {
    const first = await run(acp(), turn(1, null, '!say new'));
    const second = await run(acp(), turn(2, sessionOf(first), '!memory', '!cost 5.25'));
    expect(textOf(second)).toBe('2 turns');
    expect(second.map(({ type }) => type)).toEqual(['process', 'text', 'cost']);
    expect(second.at(-1)).toEqual({ type: 'cost', usd: 0.25 });
    expect(logged()).toContain(`load ${sessionOf(first)}`);
  });

  it('REC-1 resumes rather than loads where it can do both', async () => {
    const first = await run(acp({}, '--resume'), turn(1, null));
    const second = await run(acp({}, '--resume'), turn(2, sessionOf(first), '!memory'));
    expect(textOf(second)).toBe('2 turns');
    expect(logged().filter((line) => /^(load|resume)/.test(line))).toEqual([`resume ${sessionOf(first)}`]);
  });

  it('begins anew, and says so, where its session is gone or cannot be taken up', async () => {
    const gone = await run(acp(), turn(2, 'fake-0-0', '!memory'));
    expect(statusesOf(gone)).toEqual(['the agent no longer knows its earlier session: it begins anew']);
    expect(sessionOf(gone)).toMatch(/^fake-/);
    const forgetful = await run(acp({}, '--no-load'), turn(2, 'fake-0-0', '!memory'));
    expect(statusesOf(forgetful)).toEqual(['the agent cannot take up an earlier session: it begins anew']);
  });

  it('does not forget its session for a fault that may pass', async () => {
    const error = await failure(run(acp({}, '--lost'), turn(2, 'fake-0-0')));
    expect(error.message).toBe('the agent failed while it was opening its session: Internal error: the disk is full');
  });

  it('RST-1 is another process after a reset, and where another replica worked meanwhile', async () => {
    const runtime = acp();
    const first = await run(runtime, turn(1, null));
    const afterReset = await run(runtime, turn(2, null, '!memory'));
    expect(textOf(afterReset)).toBe('1 turns');
    expect(await lives(pidOf(first))).toBe(false);
    const meanwhile = await run(acp(), turn(3, sessionOf(afterReset)));
    expect(textOf(await run(runtime, turn(4, sessionOf(afterReset), '!memory')))).toBe('3 turns');
    expect(pidOf(meanwhile)).not.toBe(pidOf(afterReset));
    expect(await lives(pidOf(afterReset))).toBe(false);
  });

  it('WSP-1 works where it runs, in the folder that the configuration names', async () => {
    const cwd = mkdtempSync(path.join(workspace, 'here-'));
    const agent = acp({ cwd });
    const first = await run(agent, turn(1, null, '!say hello'));
    expect(textOf(first)).toBe('hello');
    expect(existsSync(path.join(cwd, `session-${sessionOf(first)}.json`))).toBe(true);
  });

  it('is set to its mode, and has to have it', async () => {
    expect(textOf(await run(acp({ mode: 'plan' }), turn(1, null, '!mode')))).toBe('plan');
    expect((await failure(run(acp({ mode: 'bold' }), turn(1, null)))).message).toContain('has no mode bold; its modes are code, plan');
  });

  it('is given the tools of its conversation where it can reach them', async () => {
    const mcp = { url: 'http://127.0.0.1:1/mcp', token: 'tok' };
    const servers = JSON.parse(textOf(await run(acp(), { ...turn(1, null, '!tools'), mcp })));
    expect(servers).toEqual([
      { type: 'http', name: 'throughline', url: mcp.url, headers: [{ name: 'Authorization', value: 'Bearer tok' }] },
    ]);
    const events = await run(acp({}, '--no-http'), { ...turn(1, null, '!tools'), mcp });
    expect(textOf(events)).toBe('[]');
    expect(statusesOf(events)).toEqual(['the agent reaches no tools by HTTP: it works without those of its conversation']);
  });

  it('WSP-2 gets untrusted messages between marks, and files by their place', async () => {
    const input = turnInput('Do it.\n\n!prompt\n!links');
    const [message] = input.turn.messages;
    const file = { name: 'a.png', mime: 'image/png', size: 3, path: '/tmp/a.png' };
    const messages = message ? [{ ...message, preface: 'Do it.\n\n'.length, attachments: [file] }] : [];
    const said = textOf(await run(acp(), { ...input, session: null, workspace, turn: { ...input.turn, ...UNTRUSTED, messages } }));
    expect(said).toMatch(
      /^Do it\.\n\nWhat stands between <(message-[0-9a-f]{12})> [\s\S]*\n<\1>\n!prompt\n!links\n<\/\1>\n\(attached: a\.png/,
    );
    expect(said).toContain('[linear Comment.create by ada, received 2026-11-30T10:00:00.000Z, given to you 2026-11-30T10:00:01.000Z]');
    expect(said).toContain('resource_link a.png file:///tmp/a.png');
  });

  it('WSP-3 sees no variable of the server but the listed ones', async () => {
    process.env['SOME_SECRET'] = 'hidden';
    expect(textOf(await run(acp(), turn(1, null, '!env SOME_SECRET', '!env THROUGHLINE_CONVERSATION_ID')))).toBe('not setc-1');
    delete process.env['SOME_SECRET'];
  });
});

describe('what an agent asks leave for', () => {
  const answers: [ApprovalDecision, string][] = [
    ['approved', '[opt-allow_once]'],
    ['denied', '[opt-reject_once]'],
    ['expired', '[opt-reject_once]'],
  ];

  it('CTL-4 waits for a person, whatever the answer is', async () => {
    const runtime = acp();
    let session: string | null = null;
    for (const [index, [decision, said]] of answers.entries()) {
      const input = turn(index + 1, session, '!ask rm');
      const taken: boolean[] = [];
      const events = await during(runtime, input, async (event) => {
        if (event.type === 'session') session = event.id;
        if (event.type !== 'approval') return;
        expect(event).toEqual({ type: 'approval', id: 'permission-1', title: 'Run rm', body: 'Run rm\n\n{\n  "command": "rm"\n}' });
        for (const [id, request] of [
          [input.turn.id, 'permission-2'],
          [input.turn.id, event.id],
          [input.turn.id, event.id],
          ['t-9', event.id],
        ] as const)
          taken.push((await runtime.decide?.(id, request, decision)) ?? false);
      });
      expect([textOf(events), taken]).toEqual([said, [false, true, false, false]]);
    }
  });

  it('TRN-7 CTL-4 is not hurried by the limits of the turn', async () => {
    const runtime = acp({ timeoutMs: 2_500, idleTimeoutMs: 2_000 });
    const events = await during(runtime, turn(1, null, '!ask rm'), async (event) => {
      if (event.type !== 'approval') return;
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      await runtime.decide?.('t-1', event.id, 'approved');
    });
    expect(textOf(events)).toBe('[opt-allow_once]');
  });

  it('is answered by the configuration where that says so', async () => {
    const allowed = await run(acp({ permissions: 'allow' }), turn(1, null, '!ask rm'));
    expect([textOf(allowed), statusesOf(allowed)]).toEqual(['[opt-allow_once]', ['allowed by the configuration: Run rm']]);
    const denied = await run(acp({ permissions: 'deny' }), turn(1, null, '!ask rm'));
    expect([textOf(denied), statusesOf(denied)]).toEqual(['[opt-reject_once]', ['denied by the configuration: Run rm']]);
  });

  it('CTL-4 is denied where a person could not be shown all of it', async () => {
    const events = await run(acp(), turn(1, null, `!ask ${'x'.repeat(70_000)}`));
    expect(textOf(events)).toBe('[opt-reject_once]');
    expect(statusesOf(events)[0]).toContain('too long to be shown to a person');
  });

  it('is cancelled when the turn is stopped, and the agent goes on with its session', async () => {
    const runtime = acp();
    const control = new AbortController();
    const reason = new Error('stopped by a person');
    const events: TurnEvent[] = [];
    const stopped = during(
      runtime,
      turn(1, null, '!ask rm'),
      (event) => {
        events.push(event);
        if (event.type === 'approval') control.abort(reason);
      },
      control.signal,
    );
    await expect(stopped).rejects.toBe(reason);
    expect(logged()).toContain('permission cancelled');
    const next = await run(runtime, turn(2, sessionOf(events), '!memory'));
    expect([textOf(next), pidOf(next)]).toEqual(['2 turns', pidOf(events)]);
  });
});

describe('how the turn of an agent ends', () => {
  it('FIF-5 fails in one sentence where the agent did not end its turn', async () => {
    const runtime = acp();
    const stops = {
      refusal: 'the agent refused to work on the messages',
      max_tokens: 'the agent stopped in the middle: its answer reached the limit of tokens',
      max_turn_requests: 'the agent stopped in the middle: it reached its limit of requests to the model',
      cancelled: 'the agent gave the turn up by itself',
    };
    let session: string | null = null;
    for (const [index, [stop, sentence]] of Object.entries(stops).entries()) {
      const events: TurnEvent[] = [];
      const failed = during(runtime, turn(index + 1, session, `!stop ${stop}`), (event) => void events.push(event));
      expect((await failure(failed)).message).toBe(sentence);
      session ??= sessionOf(events);
    }
  });

  it('FIF-5 fails with the end of its stderr when it crashes, and the next turn has a new process', async () => {
    const runtime = acp();
    const events: TurnEvent[] = [];
    const crashed = during(runtime, turn(1, null, '!say hello', '!crash 3'), (event) => void events.push(event));
    const error = await failure(crashed);
    expect(error).toMatchObject({ message: 'the agent ended while it was working on the turn: exit code 3' });
    expect(error.detail).toContain('out of memory');
    expect(textOf(events)).toBe('hello');
    expect(textOf(await run(runtime, turn(2, sessionOf(events), '!memory')))).toBe('2 turns');
  });

  it('fails when the agent reports a fault, and keeps the agent', async () => {
    const runtime = acp();
    const events: TurnEvent[] = [];
    const error = await failure(during(runtime, turn(1, null, '!fail'), (event) => void events.push(event)));
    expect(error.message).toBe('the agent failed while it was working on the turn: Internal error: the model is overloaded');
    expect(pidOf(await run(runtime, turn(2, sessionOf(events))))).toBe(pidOf(events));
  });

  it('fails when the agent closes its output, whose process is then ended', async () => {
    const events: TurnEvent[] = [];
    const error = await failure(during(acp(), turn(1, null, '!closed'), (event) => void events.push(event)));
    expect(error.message).toBe('the agent closed its output while it was working on the turn');
    expect(await lives(pidOf(events))).toBe(false);
  });

  it('fails with what to do for another version of the protocol, a missing login and a missing command', async () => {
    expect((await failure(run(acp({}, '--version', '9'), turn(1, null)))).message).toContain(
      'speaks version 9 of the Agent Client Protocol',
    );
    expect((await failure(run(acp({}, '--login'), turn(1, null)))).message).toContain(
      'is not logged in (it knows: API key); log it in once',
    );
    const missing = acp({ command: ['no-such-agent'] });
    expect((await failure(run(missing, turn(1, null)))).message).toContain('no-such-agent is not on the PATH');
    expect(await missing.check?.()).toContain('no-such-agent is not on the PATH');
    expect(await acp().check?.()).toBeNull();
  });

  it('TRN-7 is ended when it takes no messages in time, also where it does not heed SIGTERM', async () => {
    const events: TurnEvent[] = [];
    const silent = acp({ startTimeoutMs: 1_500 }, '--silent');
    const error = await failure(during(silent, turn(1, null), (event) => void events.push(event)));
    expect(error.message).toBe('the agent took no messages within 1500ms of its start');
    expect(await lives(pidOf(events))).toBe(false);
  });

  it.each([
    ['--deaf', false],
    ['--resume', true],
  ])('TRN-7 stops what hangs: with %s the process lives on: %s', async (flag, survives) => {
    const events: TurnEvent[] = [];
    const hanging = acp({ idleTimeoutMs: 1_000, timeoutMs: 60_000 }, flag);
    const error = await failure(during(hanging, turn(1, null, '!hang'), (event) => void events.push(event)));
    expect(error.message).toBe('timed out after 1s without output');
    expect(await lives(pidOf(events))).toBe(survives);
  });

  it('stops the agent when nobody takes its events any more', async () => {
    const runtime = acp();
    for await (const event of runtime.startTurn(turn(1, null, '!say x', '!hang'), new AbortController().signal))
      if (event.type === 'text') break;
    expect(logged()).toContain('cancelled');
  });

  it('keeps what is no protocol as status, bounded, and hears no answer to what was not asked', async () => {
    const events = await run(acp(), turn(1, null, '!garbage 500', '!say after'));
    const statuses = statusesOf(events);
    expect(statuses).toHaveLength(21);
    expect([statuses[0], statuses.at(-1)]).toEqual(['garbage 0', 'the agent prints more that is nothing of its protocol']);
    expect(textOf(events)).toBe('after');
  });

  it('bounds what it says in a turn, which is said once', async () => {
    const events = await run(acp(), turn(1, null, '!flood 600', '!cost 1'));
    expect(textOf(events).length).toBeLessThanOrEqual(4 * 1024 * 1024);
    expect(statusesOf(events)).toEqual(['the agent printed more than 4 MB: the rest of its output is dropped']);
    expect(events.at(-1)).toEqual({ type: 'cost', usd: 1 });
  });
});

describe('an agent that misbehaves', () => {
  it('FIF-5 B37 that crashed between two turns is started anew for the next one, with its session', async () => {
    const runtime = acp();
    const first = await run(runtime, turn(1, null));
    process.kill(pidOf(first), 'SIGKILL');
    while (await lives(pidOf(first))) await new Promise((resolve) => setTimeout(resolve, 10));
    const second = await run(runtime, turn(2, sessionOf(first), '!memory'));
    expect(textOf(second)).toBe('2 turns');
    expect(pidOf(second)).not.toBe(pidOf(first));
  });

  it('TRN-7 that never reads its input is ended in time, however much was to be written', async () => {
    const events: TurnEvent[] = [];
    const unread = acp({ startTimeoutMs: 1_500 }, '--unread');
    const error = await failure(during(unread, turn(1, null, 'x'.repeat(1024 * 1024)), (event) => void events.push(event)));
    expect(error.message).toBe('the agent took no messages within 1500ms of its start');
    expect(await lives(pidOf(events))).toBe(false);
  });

  it('keeps a line of several megabytes as a short status, and hears what comes after it', async () => {
    const events = await run(acp(), turn(1, null, '!line 3000000', '!say after'));
    expect(statusesOf(events).every((text) => text.length <= 5_000)).toBe(true);
    expect(statusesOf(events).length).toBeGreaterThan(0);
    expect(textOf(events)).toBe('after');
  });

  it('FIF-5 keeps the end of a flood on stderr alone', async () => {
    const error = await failure(run(acp(), turn(1, null, '!stderr 3000000', '!crash 1')));
    expect(error.detail?.length).toBeLessThanOrEqual(4 * 1024);
    expect(error.detail).toContain('the end of it');
  });

  it('WSP-1 that wants the server to write for it, within its workspace or outside of it, is refused', async () => {
    const outside = path.join(workspace, '..', `outside-${path.basename(workspace)}.txt`);
    const inside = path.join(workspace, 'inside.txt');
    const events = await run(acp(), turn(1, null, `!write ${outside}`, `!write ${inside}`));
    expect(textOf(events)).toMatch(/^refused: -32601[\s\S]*refused: -32601$/);
    expect([existsSync(outside), existsSync(inside)]).toEqual([false, false]);
  });
});

describe('the process of an agent', () => {
  it('TRM-3 that is kept is known by its conversation, and is not while it works', async () => {
    const runtime = acp();
    const kept: (readonly string[] | undefined)[] = [runtime.kept?.()];
    await during(runtime, turn(1, null, '!say x'), () => kept.push(runtime.kept?.()));
    kept.push(runtime.kept?.());
    expect([...new Set(kept.slice(0, -1).flat())]).toEqual([]);
    expect(kept.at(-1)).toEqual(['c-1']);
  });

  it('TRM-3 is gone when its conversation ends, and when the server does', async () => {
    const runtime = acp();
    const events = await run(runtime, turn(1, null));
    await runtime.retire?.('somebody else');
    expect(await lives(pidOf(events))).toBe(true);
    await runtime.retire?.('c-1');
    expect(await lives(pidOf(events))).toBe(false);
    const again = await run(runtime, turn(2, sessionOf(events)));
    await runtime.close?.();
    expect(await lives(pidOf(again))).toBe(false);
  });

  it('is ended some time after its last turn', async () => {
    const events = await run(acp({ keepAliveMs: 50 }), turn(1, null));
    while (await lives(pidOf(events))) await new Promise((resolve) => setTimeout(resolve, 20));
  });
});
