import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { brokenRules } from '../../core/invariants.js';
import type { TestDatabase } from '../../databases.js';
import { ServerProcess } from '../server-process.js';
import type { Gates } from './gates.js';
import type { Accepted, Door, Stage } from './stage.js';

export const TOKEN = 'an-admin-token-of-these-tests-alone';
const AGENT = fileURLToPath(new URL('../agents/maintainer.mjs', import.meta.url));
const ENV = { THROUGHLINE_ADMIN_TOKEN: TOKEN, THROUGHLINE_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') };

/** An event that was posted, and what the server answered. */
export interface Heard {
  readonly connection: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly answer: Accepted;
}

/** Whole servers, built as users run them, with the connections of some stages; as many as are replicas of one another. */
export class House implements Door {
  readonly heard: Heard[] = [];
  private readonly servers: readonly ServerProcess[];

  private constructor(
    private readonly test: TestDatabase,
    config: Record<string, unknown>,
    private readonly folder: string,
    replicas: number,
  ) {
    this.servers = Array.from({ length: replicas }, () => new ServerProcess(config));
  }

  static async open(test: TestDatabase, stages: readonly Stage[], gates: Gates, replicas = 1): Promise<House> {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'throughline-people-'));
    const config = {
      database: { url: test.url },
      connections: Object.assign({}, ...stages.map(({ connections }) => connections)),
      runtimes: named(stages, ({ flags }) => ({ kind: 'acp', command: [process.execPath, AGENT, gates.url, ...flags] })),
      // Agents keep their sessions in their folders, which replicas have to share.
      workspaces: named(stages, ({ name, control, approver }) => ({
        ...{ runtime: name, control, approvers: approver === null ? [] : [approver], directory: folder, isolate: true },
      })),
      routes: named(stages, ({ name, source }) => ({ connection: source, workspace: name })),
    };
    const house = new House(test, config, folder, replicas);
    await Promise.all(house.servers.map((server) => server.start(ENV)));
    return house;
  }

  get urls(): readonly string[] {
    return this.servers.map(({ url }) => url);
  }

  get said(): string {
    return this.servers.map(({ said }) => said).join('\n');
  }

  /** To all replicas at one time, as a provider does that has not heard the first answer: one of them takes it. */
  async post(connection: string, headers: Readonly<Record<string, string>>, body: string): Promise<Accepted> {
    const posted = this.urls.map(async (url) => {
      const answer = await fetch(`${url}/v1/events/default/${connection}`, { method: 'POST', headers, body });
      const text = await answer.text();
      if (answer.status !== 200) throw new Error(`${connection} was answered ${answer.status}: ${text}`);
      return JSON.parse(text) as Accepted;
    });
    const answers = await Promise.all(posted);
    const first = answers.filter(({ duplicate }) => duplicate !== true);
    if (first.length > 1) throw new Error(`the same event was taken twice: ${JSON.stringify(answers)}`);
    const answer = first[0] ?? (answers[0] as Accepted);
    this.heard.push({ connection, headers, body, answer });
    return answer;
  }

  /** Asks the admin API. */
  ask = async <Body>(asked: string, method: 'GET' | 'POST' = 'GET'): Promise<Body> => {
    const answer = await fetch(`${this.urls[0]}${asked}`, { method, headers: { authorization: `Bearer ${TOKEN}` } });
    if (!answer.ok) throw new Error(`${asked} was answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as Body;
  };

  /** Somebody who can write to the store changes what a person was shown, by one byte. */
  async alter(approval: string): Promise<void> {
    const database = await this.test.open();
    try {
      await database.transaction(async (tx) => {
        const [row] = await tx.all<{ body: Buffer }>('select body from approvals where id = ?', [approval]);
        const body = Buffer.from(row?.body ?? []);
        body.writeUInt8(body.readUInt8(body.length - 3) ^ 1, body.length - 3);
        await tx.run('update approvals set body = ? where id = ?', [body, approval]);
      });
    } finally {
      await database.close();
    }
  }

  /** kill -9, and a new start on what is left. */
  async killAndStart(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.end('SIGKILL')));
    await Promise.all(this.servers.map((server) => server.start(ENV)));
  }

  /** Ends in order. Which rules of the store are broken, and what waits in it for ever. */
  async end(): Promise<{ readonly codes: readonly unknown[]; readonly broken: readonly unknown[]; readonly open: readonly unknown[] }> {
    const codes = await Promise.all(this.servers.map((server) => server.end('SIGTERM')));
    const database = await this.test.open();
    try {
      const broken = await brokenRules(database);
      const open = await database.transaction((tx) =>
        tx.all(`select kind as what, state from deliveries where state <> 'completed' union all select kind, state from errands where ended_at is null
          union all select kind, state from approvals where state in ('pending', 'approved')`),
      );
      return { codes, broken, open };
    } finally {
      await database.close();
    }
  }

  async remove(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.remove()));
    rmSync(this.folder, { recursive: true, force: true });
    await this.test.drop();
  }
}

function named<Part>(stages: readonly Stage[], part: (stage: Stage) => Part): Record<string, Part> {
  return Object.fromEntries(stages.map((stage) => [stage.name, part(stage)]));
}
