import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { eachDatabase, type TestDatabase } from '../databases.js';
import { BOT_TOKEN, DiscordServer } from '../fakes/discord/discord-server.js';
import { PUBLIC_KEY, press, signedHeaders } from '../plugins/discord/discord.events.js';
import { ServerProcess, until } from './server-process.js';

const AGENT = fileURLToPath(new URL('./agents/logging.mjs', import.meta.url));
const PERSON = '100000000000000001';

eachDatabase('a thread at Discord', (make) => {
  let discord: DiscordServer;
  let test: TestDatabase;
  let server: ServerProcess;
  let thread: string;

  beforeEach(async () => {
    discord = await DiscordServer.start();
    test = await make();
    thread = discord.world.addThread('Repair the scheduler', PERSON).id;
    server = new ServerProcess({
      database: { url: test.url },
      workers: { concurrency: 2, lease: '3s', heartbeat: '1s' },
      connections: { discord: { plugin: 'discord', source: 'private', token: BOT_TOKEN, publicKey: PUBLIC_KEY, apiUrl: discord.url } },
      runtimes: { agent: { kind: 'process', command: [process.execPath, AGENT, 'handled.log', '10'], cwd: '.' } },
      workspaces: { main: { runtime: 'agent', control: { connection: 'discord', parent: discord.world.parent } } },
      routes: { threads: { connection: 'discord', workspace: 'main', coalesce: 1, filter: `channel_id == '${thread}'` } },
    });
  });
  afterEach(async () => {
    await server.remove();
    await discord.close();
    await test.drop();
  });

  const say = (text: string) => discord.world.say(thread, text);
  const handled = () => lines(server).map((line) => Number(line.split(' ')[1]));
  const shown = () =>
    [...discord.world.messages.values()]
      .flat()
      .filter(({ author, content }) => author.id === discord.world.bot.id && content.includes('handled 1'));
  const interaction = async (): Promise<unknown> => {
    const body = Buffer.from(JSON.stringify(press('a button of an earlier version')));
    const headers = { 'content-type': 'application/json', ...signedHeaders(body) };
    const answer = await fetch(`${server.url}/v1/events/default/discord`, { method: 'POST', headers, body });
    expect(answer.status).toBe(200);
    return answer.json();
  };

  it('REC-3 REC-5 ING-7 DSC-1 goes on over closes, kills and a lost session, each message once and in order', async () => {
    await server.start();
    await until(() => discord.gateway.standing === 1);
    say('fix it');
    say('and the tests');
    await until(() => handled().length === 2);

    discord.gateway.hangUp(4000);
    await until(() => discord.gateway.open === 0);
    say('while the line was down');
    await until(() => handled().length === 3);
    expect(discord.gateway.identified).toHaveLength(1);
    expect(await interaction()).toMatchObject({ type: 4 });

    // What was running when it died may be run again, so its turn ends first.
    await until(() => shown().length === 3);
    await server.end('SIGKILL');
    await until(() => discord.gateway.standing === 0);
    discord.gateway.forget();
    say('said to nobody');

    await server.start();
    await until(() => handled().length >= 4);
    say('welcome back');
    await until(() => handled().length >= 5 && shown().length >= 5);
    expect(new Set(lines(server).map((line) => line.split(' ')[0])).size).toBe(1);
    expect(handled()).toEqual([1, 2, 3, 4, 5]);
    expect(shown()).toHaveLength(5);
    expect(await server.end('SIGTERM')).toBe(0);
    expect(discord.gateway.open).toBe(0);
  }, 120_000);
});

function lines(server: ServerProcess): string[] {
  try {
    return server.read('handled.log').trim().split('\n');
  } catch {
    return [];
  }
}
