import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { identify } from '../../core/conversations/conversation-id.js';
import { Outbound } from '../../core/effects/outbound.js';
import type { Database } from '../../database/database.js';
import { migrateUp } from '../../database/migrate.js';
import { openInMemory } from '../../database/open-in-memory.js';
import { type Evidence, NotFound, type PluginDefinition, type Subject } from '../../plugin/index.js';
import { PluginRegistry } from '../../plugin-host/plugin-registry.js';
import { agentPlugin, FakeAgent } from './fake-agent.js';
import { FakeClock } from './fake-clock.js';
import { completed, type HostConfig } from './host-config.js';
import { type LeftToDo, leftToDo } from './left-to-do.js';
import { ServerLife } from './server-life.js';

const PATIENCE_MS = 10_000;
const PAUSE_MS = 5;
const ORG = 'default';

export interface TestHostOptions {
  /** Default: no connections. What it leaves out is the fake agent, in a workspace `main` to which every connection is routed. */
  readonly config?: HostConfig;
  /** Plugins under test, as `definePlugin` gives them. Others are named in `config.plugins`. */
  readonly plugins?: readonly PluginDefinition[];
  /** The kind of runtime `fake`. */
  readonly agent?: FakeAgent;
  readonly clock?: FakeClock;
  /** How long, by the real clock, is waited for anything, in milliseconds. Default 10,000. */
  readonly patienceMs?: number;
}

/** A request of a provider's. */
export interface PostedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

export interface Answered<Body = Readonly<Record<string, unknown>>> {
  readonly status: number;
  readonly body: Body;
}

/** What came of a write. `unknown`: it may have been done, and the host finds out. */
export type Outcome =
  | { readonly is: 'confirmed'; readonly effect: string; readonly evidence: Evidence }
  | { readonly is: 'refused' | 'unknown'; readonly effect: string; readonly fault: Error };

/** A whole server in this process: its store is in memory, its clock and its agent are the test's, and it listens on this machine alone. */
export class TestHost {
  private constructor(
    readonly agent: FakeAgent,
    readonly clock: FakeClock,
    private readonly database: Database,
    private readonly surroundings: Parameters<typeof ServerLife.begin>[0],
    private readonly patienceMs: number,
    private life: ServerLife,
  ) {}

  static async start(options: TestHostOptions = {}): Promise<TestHost> {
    const { agent = new FakeAgent(), clock = new FakeClock(), plugins = [], patienceMs = PATIENCE_MS } = options;
    const folder = mkdtempSync(path.join(os.tmpdir(), 'throughline-test-'));
    writeFileSync(path.join(folder, 'throughline.config.json'), JSON.stringify(completed(options.config ?? {})));
    const database = await openInMemory(() => clock.now());
    const surroundings = { database, folder, plugins: [agentPlugin(agent), ...plugins], adminToken: randomUUID() };
    try {
      await migrateUp(database);
      return new TestHost(agent, clock, database, surroundings, patienceMs, await ServerLife.begin(surroundings));
    } catch (error) {
      await database.close();
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  get url(): string {
    return this.life.url;
  }

  /** Posts to the endpoint of a connection, as its provider does. */
  async post(connection: string, { headers, body }: PostedRequest): Promise<Answered> {
    const bytes = typeof body === 'string' ? body : new Uint8Array(body);
    return answered(await fetch(`${this.url}/v1/events/${ORG}/${connection}`, { method: 'POST', headers: { ...headers }, body: bytes }));
  }

  /** Asks the REST API as an administrator, for example `GET /v1/conversations`. */
  async ask<Body = Readonly<Record<string, unknown>>>(method: string, address: string, body?: object): Promise<Answered<Body>> {
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const headers = { authorization: `Bearer ${this.surroundings.adminToken}`, ...type };
    return answered(await fetch(this.url + address, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }));
  }

  /** Writes with a tool of the connection's plugin, as the agent of a conversation about the subject would. */
  write(connection: string, tool: string, subject: Subject, input: object): Promise<Outcome> {
    const configured = this.life.host.connections.find(({ settings }) => settings.name === connection);
    if (!configured) throw new NotFound(`there is no connection ${connection}`);
    const { plugin: provider } = configured.settings;
    const found = this.life
      .get(PluginRegistry)
      .get(provider)
      .tools?.find(({ name }) => name === tool);
    if (!found) throw new NotFound(`the plugin ${provider} has no tool ${tool}`);
    const binding = { connection: configured.connection, conversation: identify(ORG, subject, { scope: 'subject' }).id, subject };
    return this.life.get(Outbound).perform({ provider, tool: found, binding, input });
  }

  /** Moves the clock, and has all that waits for a time look at it. */
  async advance(duration: string): Promise<void> {
    this.clock.advance(duration);
    await this.life.lookAround();
  }

  /** Resolves when there is nothing left to do until something comes, the clock is moved, or the agent goes on with turns that it holds. */
  async idle(): Promise<void> {
    let left: LeftToDo | null = null;
    const isIdle = async () => {
      left = await this.database.transaction(leftToDo);
      if (left.others > 0) this.life.hurry();
      return !left.ready && left.others === 0 && left.running <= this.agent.held;
    };
    await this.until(isIdle, () => `there is something left to do: ${JSON.stringify(left)}`);
  }

  /** Resolves when the condition holds; rejects when that takes too long. */
  async until(holds: () => boolean | Promise<boolean>, why: () => string = () => 'what was waited for did not come about'): Promise<void> {
    const deadline = performance.now() + this.patienceMs;
    while (!(await holds())) {
      if (performance.now() > deadline) throw new Error(`${why()} (waited ${this.patienceMs} ms)`);
      await delay(PAUSE_MS);
    }
  }

  /** Ends the server in order, and starts another one on the same store. */
  async restart(): Promise<void> {
    await this.life.end();
    this.life = await ServerLife.begin(this.surroundings);
  }

  /** As if the process had been killed: turns and writes are cut off where they are, and another server starts on the same store. */
  async crash(): Promise<void> {
    await this.life.crash();
    this.life = await ServerLife.begin(this.surroundings);
  }

  async close(): Promise<void> {
    this.agent.release();
    await this.life.end();
    await this.database.close();
    rmSync(this.surroundings.folder, { recursive: true, force: true });
  }
}

async function answered<Body>(response: Response): Promise<Answered<Body>> {
  const text = await response.text();
  const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '');
  return { status: response.status, body: (isJson ? JSON.parse(text) : { text }) as Body };
}
