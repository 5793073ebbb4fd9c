import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Answer, type Call, FaultServer } from '../fault-server.js';

interface Sandbox {
  status: string;
  /** So often it is asked for until it runs. */
  asksLeft: number;
  readonly key: string;
}

interface Command {
  readonly id: string;
  readonly command: string;
  readonly child: ChildProcess;
  readonly outputs: Record<string, unknown>[];
  readonly ended: Promise<void>;
}

const OK = { status: 200, body: { success: true } };
const NOT_FOUND = { status: 404, body: { detail: 'Not found' } };

/**
 * The API of somebody who makes sandboxes, and the agent servers in them, of which it has files and commands. Commands are really run, in
 * a folder of this machine that stands for the root of the sandbox.
 */
export class FakeSandboxApi extends FaultServer {
  readonly sandboxes = new Map<string, Sandbox>();
  readonly commands: Command[] = [];
  readonly root = mkdtempSync(path.join(os.tmpdir(), 'throughline-sandbox-'));
  /** What the next sandboxes come to, and after how many questions. */
  start = { status: 'RUNNING', asks: 0 };
  failure = { error_code: 'E1', error_message: 'no image' };
  exposes = 'AGENT_SERVER';
  private readonly made = new Map<string, string>();

  constructor(private readonly apiKey: string) {
    super();
  }

  static listen(apiKey = 'cloud-key'): Promise<FakeSandboxApi> {
    return new FakeSandboxApi(apiKey).listen();
  }

  override async close(): Promise<void> {
    for (const { child } of this.commands) killGroup(child);
    await Promise.all(this.commands.map(({ ended }) => ended));
    await super.close();
    rmSync(this.root, { recursive: true, force: true });
  }

  /** Where a file of the sandbox lies on this machine. */
  file(name: string): string {
    return this.rooted(name);
  }

  isThere(name: string): boolean {
    return existsSync(this.rooted(name));
  }

  protected answer(call: Call): Answer | Promise<Answer> {
    const { pathname, searchParams } = new URL(call.path, this.url);
    const inside = /^\/box\/([^/]+)\/api\/(.*)$/.exec(pathname);
    if (inside !== null) return this.inside(inside[1] ?? '', inside[2] ?? '', searchParams, call);
    if (call.headers.authorization !== `Bearer ${this.apiKey}`) return { status: 401, body: { detail: 'Unauthorized' } };
    const [, id = '', what = ''] = /^\/api\/v1\/sandboxes(?:\/([^/]+))?(?:\/(.*))?$/.exec(pathname) ?? [];
    if (id === '') return call.method === 'POST' ? this.create(call) : this.read(searchParams.get('id') ?? '');
    const sandbox = this.sandboxes.get(id);
    if (sandbox === undefined) return NOT_FOUND;
    if (call.method === 'DELETE') this.sandboxes.delete(id);
    else sandbox.status = what === 'pause' ? 'PAUSED' : 'STARTING';
    return OK;
  }

  private create({ headers }: Call): Answer {
    const key = String(headers['idempotency-key'] ?? randomUUID());
    const id = this.made.get(key) ?? `box-${this.sandboxes.size + 1}-${randomUUID().slice(0, 8)}`;
    this.made.set(key, id);
    if (!this.sandboxes.has(id)) this.sandboxes.set(id, { status: 'STARTING', asksLeft: this.start.asks, key: `session-${id}` });
    return { status: 200, body: { id, status: 'STARTING' } };
  }

  private read(id: string): Answer {
    const sandbox = this.sandboxes.get(id);
    if (sandbox === undefined) return { status: 200, body: [] };
    if (sandbox.status === 'STARTING' && sandbox.asksLeft-- <= 0) sandbox.status = this.start.status;
    const { status, key } = sandbox;
    const isRunning = status === 'RUNNING';
    const body = {
      ...{ id, status, session_api_key: isRunning ? key : null },
      ...{ exposed_urls: isRunning ? [{ name: this.exposes, url: `${this.url}/box/${id}` }] : null },
      ...(status === 'ERROR' ? this.failure : {}),
    };
    return { status: 200, body: [body] };
  }

  private async inside(id: string, what: string, query: URLSearchParams, call: Call): Promise<Answer> {
    const sandbox = this.sandboxes.get(id);
    if (sandbox?.status !== 'RUNNING') return { status: 502, body: { detail: 'Bad gateway' } };
    if (call.headers['x-session-api-key'] !== sandbox.key) return { status: 401, body: { detail: 'Unauthorized' } };
    if (what === 'file/upload') return this.upload(query.get('path') ?? '', call);
    if (what === 'bash/bash_events/search') return { status: 200, body: { items: this.search(query), next_page_id: null } };
    const { command } = JSON.parse(call.body) as { command: string };
    const begun = this.begin(command);
    if (what === 'bash/start_bash_command') return { status: 200, body: { id: begun.id, command } };
    await begun.ended;
    return { status: 200, body: begun.outputs.at(-1) };
  }

  private async upload(file: string, { headers, body }: Call): Promise<Answer> {
    if (!file.startsWith('/')) return { status: 400, body: { detail: 'Path must be absolute' } };
    const form = await new Response(body, { headers: { 'content-type': headers['content-type'] ?? '' } }).formData();
    const content = await (form.get('file') as File).text();
    writeFileSync(this.rooted(file), this.rooted(content));
    return OK;
  }

  private begin(command: string): Command {
    const id = randomUUID();
    const outputs: Record<string, unknown>[] = [];
    const child = spawn('bash', ['-c', this.rooted(command)], {
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'] },
    });
    const put = (part: Readonly<Record<string, unknown>>) =>
      outputs.push({ command_id: id, order: outputs.length, exit_code: null, ...part });
    child.stdout.on('data', (text: Buffer) => put({ stdout: text.toString() }));
    child.stderr.on('data', (text: Buffer) => put({ stderr: text.toString() }));
    const ended = new Promise<void>((resolve) => child.on('close', (code) => resolve(void put({ exit_code: code ?? -1 }))));
    const begun = { id, command, child, outputs, ended };
    this.commands.push(begun);
    return begun;
  }

  private search(query: URLSearchParams): unknown[] {
    const of = query.get('command_id__eq');
    if (query.get('kind__eq') === 'BashCommand') return this.commands.map(({ id, command }) => ({ id, command })).toReversed();
    return (this.commands.find(({ id }) => id === of)?.outputs ?? []).toReversed();
  }

  /** Where the sandbox has its folders, on this machine. */
  private rooted(text: string): string {
    return text.replaceAll('/tmp/throughline-', `${this.root}/run-`).replaceAll('/workspace/project', `${this.root}/project`);
  }
}

function killGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, 'SIGKILL');
}
