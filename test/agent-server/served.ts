import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type AgentServer, startAgentServer } from '../../src/agent-server/agent-server.js';

export const ACP_AGENT = fileURLToPath(new URL('../fakes/acp-agent.mjs', import.meta.url));
export const ECHO = { kind: 'echo' };
export const ACP = { kind: 'acp', command: [process.execPath, ACP_AGENT], graceMs: 500 };

export interface Answer {
  readonly status: number;
  readonly body: any;
}

/** A server in a folder of its own, which outlives its restarts. */
export class Served {
  readonly folder = mkdtempSync(path.join(os.tmpdir(), 'throughline-agents-'));
  private server: AgentServer | null = null;

  constructor(private readonly env: NodeJS.ProcessEnv = {}) {}

  get url(): string {
    return this.server?.url ?? 'http://127.0.0.1:1';
  }

  async start(): Promise<this> {
    this.server = await startAgentServer({ host: '127.0.0.1', port: 0, folder: this.folder, env: this.env, version: '0.0.0' });
    return this;
  }

  async stop(): Promise<void> {
    await this.server?.stop();
    this.server = null;
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async ask(method: string, asked: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const json = body === undefined ? {} : { 'content-type': 'application/json' };
    const answer = await fetch(`${this.url}${asked}`, {
      method,
      headers: { ...json, ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? null : JSON.parse(text) };
  }

  open(id: string, agent: object = ECHO, more: object = {}): Promise<Answer> {
    return this.ask('POST', '/api/conversations', { conversation_id: id, agent, ...more });
  }

  say(id: string, text: string, more: object = {}): Promise<Answer> {
    return this.ask('POST', `/api/conversations/${id}/events`, { role: 'user', content: [{ type: 'text', text }], run: true, ...more });
  }

  async status(id: string): Promise<string> {
    return (await this.ask('GET', `/api/conversations/${id}`)).body.execution_status;
  }

  async rests(id: string, ...statuses: string[]): Promise<string> {
    const wanted = statuses.length === 0 ? ['finished', 'error', 'paused'] : statuses;
    for (let tries = 0; tries < 1000; tries++) {
      const status = await this.status(id);
      if (wanted.includes(status)) return status;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error(`${id} does not become ${wanted.join(' or ')}: it is ${await this.status(id)}`);
  }

  /** What was said, in order, as `source: text`. */
  async said(id: string): Promise<string[]> {
    const { body } = await this.ask('GET', `/api/conversations/${id}/events/search?kind=MessageEvent`);
    return body.items.map((event: { source: string; llm_message: { content: { text: string }[] } }) => {
      return `${event.source}: ${event.llm_message.content.map(({ text }) => text).join('')}`;
    });
  }

  async kinds(id: string): Promise<string[]> {
    const { body } = await this.ask('GET', `/api/conversations/${id}/events/search`);
    return body.items.map(({ kind, key, value }: Record<string, string>) => (key === undefined ? kind : `${key}=${value}`));
  }
}
