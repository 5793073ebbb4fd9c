import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { TestDatabase } from '../databases.js';
import { turns } from '../fakes/agent/index.js';
import { GithubServer } from '../fakes/github/github-server.js';
import type { FakeRepository } from '../fakes/github/repository.js';
import { ConfiguredServer } from './configured-server.js';
import { until } from './server-process.js';

const KEY = Buffer.alloc(32, 9);

export type Payload = Record<string, unknown>;

export interface Answer {
  readonly duplicate: boolean;
  readonly disposition: string;
  readonly reason: string | null;
  readonly deliveries: readonly { readonly conversation: string; readonly sequence: number }[];
}

/** A whole server in this process as a GitHub App, and the GitHub that posts to it. */
export class GithubHost {
  private constructor(
    readonly github: GithubServer,
    private readonly test: TestDatabase,
    private readonly workspace: object,
    private running: ConfiguredServer,
  ) {}

  static async start(test: TestDatabase, workspace: object = {}): Promise<GithubHost> {
    const github = await GithubServer.start();
    return new GithubHost(github, test, workspace, await startServer(test, github, workspace));
  }

  get server(): ConfiguredServer {
    return this.running;
  }

  /** The server ends. */
  stop(): Promise<void> {
    return this.running.close();
  }

  /** Another one begins with its store. */
  async begin(): Promise<void> {
    this.running = await startServer(this.test, this.github, this.workspace);
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.begin();
  }

  async post(event: string, payload: Payload, guid?: string): Promise<Answer> {
    const { answer } = await this.github.hook.deliver(event, payload, guid);
    return answer as unknown as Answer;
  }

  /** Somebody says something there: the event that tells of it. */
  said(number: number, body: string, repository: FakeRepository = this.github.repository): Payload {
    const comment = this.github.say(number, body, repository);
    // A comment of a pull request comes as one of an issue.
    const issue = { ...repository.showIssue(number), ...(repository.issue(number).isPullRequest && { pull_request: {} }) };
    return this.github.event(number, 'created', { comment, issue }, repository);
  }

  /** Resolves when nothing waits for a turn, and nothing is to be done in a thread. */
  quiet(): Promise<void> {
    return until(async () => {
      const [row] = await this.running.rows<{ open: number }>(
        "select (select count(*) from deliveries where state <> 'completed') + (select count(*) from errands where ended_at is null) as open",
      );
      return row?.open === 0;
    });
  }

  /** First lines of all that agents were told, in order. */
  told(): (string | undefined)[] {
    return turns.flatMap(({ turn }) => turn.messages.map(({ text }) => text.split('\n')[0]));
  }

  /** As the agent of the last turn: comments, and what it is told of that. */
  async comment(...bodies: readonly string[]): Promise<Payload[]> {
    const mcp = turns.at(-1)?.mcp;
    if (!mcp) throw new Error('the turn was given no tools');
    const client = new Client({ name: 'an agent', version: '1' });
    const headers = { authorization: `Bearer ${mcp.token}` };
    const transport = new StreamableHTTPClientTransport(new URL(mcp.url), { requestInit: { headers } });
    // The class says `sessionId?: string | undefined` where its interface leaves `undefined` out.
    await client.connect(transport as Parameters<Client['connect']>[0]);
    const told: Payload[] = [];
    for (const body of bodies) {
      const result = await client.callTool({ name: 'github_comment', arguments: { body } });
      const [content] = result.content as { text: string }[];
      told.push(JSON.parse(content?.text ?? '{}') as Payload);
    }
    await client.close();
    return told;
  }

  async close(): Promise<void> {
    await this.running.close();
    await this.github.close();
  }
}

async function startServer(test: TestDatabase, github: GithubServer, workspace: object): Promise<ConfiguredServer> {
  const gh = { plugin: 'github', secret: github.hook.secret, apiUrl: github.url, app: github.app, rate: 'off', source: 'private' };
  const server = await ConfiguredServer.start(
    test,
    {
      plugins: ['github', new URL('../fakes/agent/index.ts', import.meta.url).pathname],
      connections: { gh, plain: { plugin: 'github', secret: 'another secret of a webhook' } },
      runtimes: { agent: { kind: 'asking' } },
      workspaces: { main: { runtime: 'agent', ...workspace } },
      routes: { main: { connection: 'gh', workspace: 'main', outbound: 'allowed' } },
    },
    KEY,
  );
  github.hook.url = `${server.url}/v1/events/default/gh`;
  return server;
}

export function placeOf({ deliveries }: Answer): string {
  return deliveries[0]?.conversation ?? 'none';
}
