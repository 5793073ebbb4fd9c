import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { TurnInput } from '../../src/plugin/index.js';
import type { TestDatabase } from '../databases.js';
import { turns } from '../fakes/agent/index.js';
import { BoardServer } from '../fakes/board/board-server.js';
import { ConfiguredServer } from './configured-server.js';
import { until } from './server-process.js';

const SECRET = 'the secret of the board';
const KEY = Buffer.alloc(32, 3);

export type Mcp = NonNullable<TurnInput['mcp']>;

export interface Approval {
  readonly id: string;
  readonly state: string;
  readonly reason: string | null;
  readonly title: string;
  readonly body: string;
}

/** What is configured beside the board and the agent. */
export interface Setting {
  readonly route?: object;
  readonly workspace?: object;
  readonly workers?: object;
  readonly source?: 'private' | 'public';
}

/** A whole server in this process with the board as its provider, and a real MCP client in the place of its agent. */
export class ToolHost {
  private clients: Client[] = [];

  private constructor(
    readonly board: BoardServer,
    readonly server: ConfiguredServer,
    private readonly test: TestDatabase,
    private readonly setting: Setting,
  ) {}

  static async start(test: TestDatabase, setting: Setting = {}, board?: BoardServer): Promise<ToolHost> {
    const server = board ?? (await BoardServer.start());
    const host = await ConfiguredServer.start(test, configOf(server.url, setting), KEY);
    server.hooks = [{ url: `${host.url}/v1/events/default/board`, secret: SECRET }];
    return new ToolHost(server, host, test, setting);
  }

  /** The server ends, and another one begins with its store. */
  async restart(setting: Setting = this.setting): Promise<ToolHost> {
    await this.closeClients();
    await this.server.close();
    return ToolHost.start(this.test, setting, this.board);
  }

  /** A person says something, and the turn that comes of it is over: its input. */
  async turn(issue: string, text = 'hello'): Promise<TurnInput> {
    const before = turns.length;
    await this.board.say(issue, text);
    await until(() => turns.slice(before).some(({ conversation }) => conversation.subject.key === issue));
    await this.quiet();
    const turn = turns.slice(before).find(({ conversation }) => conversation.subject.key === issue);
    if (!turn) throw new Error('no turn');
    return turn;
  }

  async mcp(issue: string): Promise<{ mcp: Mcp; conversation: string }> {
    const { mcp, conversation } = await this.turn(issue);
    if (mcp === null) throw new Error('the turn was given no tools');
    return { mcp, conversation: conversation.id };
  }

  async connect({ url, token }: Mcp): Promise<Client> {
    const client = new Client({ name: 'an agent', version: '1' });
    const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization: `Bearer ${token}` } } });
    // The class says `sessionId?: string | undefined` where its interface leaves `undefined` out.
    await client.connect(transport as Parameters<Client['connect']>[0]);
    this.clients.push(client);
    return client;
  }

  /** Calls a tool; what it was told. */
  async call(client: Client, name: string, input: object, key?: string): Promise<{ isError: boolean; told: Record<string, unknown> }> {
    const _meta = key === undefined ? {} : { _meta: { 'throughline/call': key } };
    const result = await client.callTool({ name, arguments: { ...input }, ..._meta });
    const [content] = result.content as { text: string }[];
    return { isError: result.isError === true, told: JSON.parse(content?.text ?? '{}') as Record<string, unknown> };
  }

  async approvals(query = ''): Promise<Approval[]> {
    return (await this.server.ask<{ items: Approval[] }>('GET', `/v1/approvals${query}`)).body.items;
  }

  decide(id: unknown, decision: 'approve' | 'deny'): Promise<{ status: number; body: { state?: string; detail?: string } }> {
    return this.server.ask('POST', `/v1/approvals/${String(id)}/${decision}`, {});
  }

  /** Resolves when nothing waits for a turn and nobody is to be told anything. */
  quiet(): Promise<void> {
    return until(async () => {
      await this.board.settled();
      const [row] = await this.server.rows<{ open: number }>(
        "select (select count(*) from deliveries where state <> 'completed') + (select count(*) from approvals where state = 'approved' or (ended_at is not null and told_at is null)) as open",
      );
      return row?.open === 0;
    });
  }

  /** What the board was given by us. */
  get written(): string[] {
    return this.board.comments.filter(({ marker }) => marker !== null).map(({ text }) => text);
  }

  async close(): Promise<void> {
    await this.closeClients();
    await this.board.close();
    await this.server.close();
  }

  private async closeClients(): Promise<void> {
    for (const client of this.clients) await client.close();
    this.clients = [];
  }
}

function configOf(apiUrl: string, { route = {}, workspace = {}, workers = {}, source = 'private' }: Setting): object {
  return {
    plugins: ['board', 'agent'].map((name) => new URL(`../fakes/${name}/index.ts`, import.meta.url).pathname),
    connections: { board: { plugin: 'board', secret: SECRET, apiUrl, rate: 'off', source } },
    runtimes: { agent: { kind: 'asking' } },
    workspaces: { main: { runtime: 'agent', ...workspace } },
    routes: { main: { connection: 'board', workspace: 'main', outbound: 'allowed', ...route } },
    workers: { grace: '1s', ...workers },
  };
}
