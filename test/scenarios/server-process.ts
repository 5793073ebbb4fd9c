import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SECRET = 'a secret of the tests alone';

/** A server as a process of its own, built as users run it, in a folder of its own. */
export class ServerProcess {
  readonly folder = mkdtempSync(path.join(os.tmpdir(), 'throughline-server-'));
  url = '';
  private child: ChildProcess | null = null;
  output = '';

  constructor(config: Record<string, unknown>) {
    const whole = { server: { port: 0 }, connections: { gh: { plugin: 'github', secret: SECRET, rate: 'off' } }, ...config };
    writeFileSync(path.join(this.folder, 'throughline.config.yaml'), stringify(whole));
  }

  /** `options` are Node's own. */
  async start(env: Record<string, string> = {}, options: readonly string[] = []): Promise<void> {
    const child = spawn(process.execPath, [...options, path.join(ROOT, 'dist/src/main.js')], {
      cwd: this.folder,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child = child;
    this.output = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data: Buffer) => (this.output += data.toString()));
    await new Promise<void>((resolve, reject) => {
      child.stdout?.on('data', () => {
        const url = /Throughline listens on (\S+)/.exec(this.output)?.[1];
        if (!url) return;
        this.url = url;
        resolve();
      });
      child.once('exit', (code) => reject(new Error(`the server ended with ${code}:\n${this.output}`)));
    });
  }

  get said(): string {
    return this.output;
  }

  get pid(): number {
    return this.child?.pid ?? 0;
  }

  /** Resolves to the exit code, or the signal that ended it. */
  end(signal: NodeJS.Signals): Promise<number | string> {
    const { child } = this;
    this.child = null;
    if (!child || child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child?.exitCode ?? 'none');
    const ended = new Promise<number | string>((resolve) => child.once('exit', (code, by) => resolve(code ?? by ?? 'none')));
    child.kill(signal);
    return ended;
  }

  signal(signal: NodeJS.Signals): void {
    this.child?.kill(signal);
  }

  async remove(): Promise<void> {
    await this.end('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }

  read(file: string): string {
    return readFileSync(path.join(this.folder, file), 'utf8');
  }
}

const recorded = JSON.parse(readFileSync(path.join(ROOT, 'test/fixtures/github/issue_comment/created.json'), 'utf8')) as Comment;

interface Comment {
  issue: { number: number };
  comment: { id: number; body: string };
}

export interface Answer {
  readonly status: number;
  readonly body: {
    readonly duplicate: boolean;
    readonly receipt: string;
    readonly disposition: string;
    readonly deliveries: readonly { readonly conversation: string; readonly sequence: number; readonly delivery: string }[];
  };
}

/** A recorded comment, made the n-th of its issue, as GitHub signs and sends it. */
export async function comment(
  url: string,
  issue: number,
  n: number,
  id = `delivery-${issue}-${n}`,
  text = `#${issue} message ${n}`,
): Promise<Answer> {
  const event = structuredClone(recorded);
  event.issue.number = issue;
  event.comment.id = issue * 100_000 + n;
  event.comment.body = text;
  const body = JSON.stringify(event);
  const response = await fetch(`${url}/v1/events/default/gh`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-github-event': 'issue_comment',
      'x-github-delivery': id,
      'x-hub-signature-256': `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`,
    },
    body,
  });
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}

/** Resolves when the condition holds; the test's own time limit is the only one, unless a signal ends it before. */
export async function until(condition: () => boolean | Promise<boolean>, signal?: AbortSignal): Promise<void> {
  while (!(await condition())) {
    signal?.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
