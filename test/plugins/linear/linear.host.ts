import { createHmac, randomUUID } from 'node:crypto';
import type { TestDatabase } from '../../databases.js';
import { LinearServer } from '../../fakes/linear/linear-server.js';
import { ConfiguredServer } from '../../scenarios/configured-server.js';
import { until } from '../../scenarios/server-process.js';
import { type Json, SECRET } from './linear.requests.js';

const KEY = Buffer.alloc(32, 9);
export const PROJECTS = { eng: '11111111-0000-4000-8000-000000000001', ops: '22222222-0000-4000-8000-000000000002' };

export interface Accepted {
  readonly duplicate: boolean;
  readonly disposition: string;
  readonly reason: string | null;
  readonly deliveries: readonly { readonly conversation: string; readonly delivery: string }[];
}

/** One attempt of Linear's to deliver: the same id and the same body, but for when it was signed. */
export interface Attempt {
  readonly id?: string;
  readonly signedAt?: number;
}

/** A whole server in this process with a local Linear as its provider; every turn of its agent is in `turns` of the agent's fake. */
export class LinearHost {
  private constructor(
    readonly linear: LinearServer,
    private server: ConfiguredServer,
    private readonly test: TestDatabase,
    private readonly options: object,
  ) {}

  static async start(test: TestDatabase, options: object = {}): Promise<LinearHost> {
    const linear = await LinearServer.start();
    return new LinearHost(linear, await serve(test, linear, options), test, options);
  }

  get database() {
    return this.server.database;
  }

  /** The server ends; what happens meanwhile it is not told; another one begins with its store. */
  async restart(meanwhile: () => Promise<void> | void = () => undefined, options: object = this.options): Promise<void> {
    await this.server.close();
    await meanwhile();
    this.server = await serve(this.test, this.linear, options);
  }

  async send(payload: Json, { id = randomUUID(), signedAt = Date.now() }: Attempt = {}): Promise<{ status: number; body: Accepted }> {
    const body = JSON.stringify({ ...payload, webhookTimestamp: signedAt });
    const signature = createHmac('sha256', SECRET).update(body).digest('hex');
    const headers = { 'content-type': 'application/json', 'linear-delivery': id, 'linear-signature': signature };
    const answer = await fetch(`${this.server.url}/v1/events/default/linear`, { method: 'POST', headers, body });
    return { status: answer.status, body: (await answer.json()) as Accepted };
  }

  /** As an agent's tool call would have it written. */
  write(tool: string, issue: string, input: object) {
    const subject = { namespace: 'linear:dc844923-f9a4-40a3-825c-dea7747e57d6:issue', key: issue };
    return this.server.write('linear', tool, subject, input);
  }

  rows<Row>(sql: string, ...values: string[]): Promise<Row[]> {
    return this.server.rows(sql, ...values);
  }

  /** Resolves when nothing waits for a turn or at a channel. */
  quiet(): Promise<void> {
    return until(async () => {
      const [row] = await this.rows<{ open: number }>(
        "select (select count(*) from deliveries where state <> 'completed') + (select count(*) from errands where ended_at is null) as open",
      );
      return row?.open === 0;
    });
  }

  async close(): Promise<void> {
    await this.server.close();
    await this.linear.close();
  }
}

function serve(test: TestDatabase, linear: LinearServer, options: object): Promise<ConfiguredServer> {
  const connection = { plugin: 'linear', secret: SECRET, rate: 'off', source: 'private', apiUrl: linear.url, token: linear.token };
  const config = {
    plugins: ['linear', new URL('../../fakes/agent/index.ts', import.meta.url).pathname],
    connections: { linear: { ...connection, ...options } },
    runtimes: { agent: { kind: 'asking' } },
    workspaces: { eng: { runtime: 'agent' }, ops: { runtime: 'agent' } },
    routes: { main: { connection: 'linear', workspace: 'eng', outbound: 'allowed' } },
    workers: { grace: '1s', backoff: { first: '0ms' } },
  };
  return ConfiguredServer.start(test, config, KEY);
}
