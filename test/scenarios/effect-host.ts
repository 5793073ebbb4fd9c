import type { Performed } from '../../src/core/effects/outbound.js';
import type { Database } from '../../src/database/database.js';
import type { Value } from '../../src/database/tx.js';
import type { TestDatabase } from '../databases.js';
import { BoardServer } from '../fakes/board/board-server.js';
import { ConfiguredServer } from './configured-server.js';

const SECRETS = { one: 'the secret of the first hook', two: 'the secret of the second hook' };

/** A whole server in this process, with the board as its provider: two connections of one account, a route of another scope on each. */
export class EffectHost {
  private constructor(
    readonly board: BoardServer,
    private readonly server: ConfiguredServer,
  ) {}

  get database(): Database {
    return this.server.database;
  }

  static async start(test: TestDatabase): Promise<EffectHost> {
    const board = await BoardServer.start();
    const connection = (secret: string) => ({ plugin: 'board', secret, apiUrl: board.url, rate: 'off' });
    const config = {
      plugins: [new URL('../fakes/board/index.ts', import.meta.url).pathname],
      connections: { one: connection(SECRETS.one), two: connection(SECRETS.two) },
      runtimes: { echo: { kind: 'echo' } },
      workspaces: { main: { runtime: 'echo' } },
      routes: { shared: { connection: 'one', workspace: 'main' }, apart: { connection: 'two', workspace: 'main', scope: 'automation' } },
    };
    const server = await ConfiguredServer.start(test, config);
    board.hooks = Object.entries(SECRETS).map(([name, secret]) => ({ url: `${server.url}/v1/events/default/${name}`, secret }));
    return new EffectHost(board, server);
  }

  /** As an agent's tool call would have it written. */
  write(issue: string, text: string, tool: 'comment' | 'marked_comment' = 'comment'): Promise<Performed> {
    return this.server.write('one', tool, { namespace: 'board:board-1:issue', key: issue }, { text });
  }

  rows<Row>(sql: string, ...values: readonly Value[]): Promise<Row[]> {
    return this.server.rows(sql, ...values);
  }

  async close(): Promise<void> {
    await this.board.close();
    await this.server.close();
  }
}
