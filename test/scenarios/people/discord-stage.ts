import { BOT_TOKEN, DiscordServer } from '../../fakes/discord/discord-server.js';
import type { Message, Seen } from '../../fakes/discord/shapes.js';
import { APPLICATION, PUBLIC_KEY, press, signedHeaders } from '../../plugins/discord/discord.events.js';
import { until } from '../server-process.js';
import { GithubIssue } from './github-issue.js';
import {
  type Accepted,
  AFTERWARDS,
  type Door,
  GO_AHEAD,
  type Letter,
  type Moment,
  type Said,
  type Shown,
  type Stage,
  WORDS,
} from './stage.js';

/** The characters of the marker, which nobody sees. */
const UNSEEN = /(?:\u200b|\u200c|\u200d|\u2060)+$/;

interface Button {
  readonly label: string;
  readonly custom_id: string;
}

/** An issue at GitHub whose conversation is shown in a thread at Discord: messages come by the gateway, buttons by HTTP. */
export class DiscordStage implements Stage {
  readonly name = 'discord';
  readonly source: string;
  readonly approver = '100000000000000001';
  readonly strangersCommand = null;
  readonly flags = [];
  readonly edits = true;
  readonly questions = [/npm test/, /github\.github_comment/];
  readonly expected = [
    WORDS.first,
    GO_AHEAD,
    WORDS.second,
    'Approved by Octo Cat at discord, and done: npm test',
    /^Approved by Octo Cat at discord, and done: github\.github_comment .* at \[acme\/api#\d+\] Repair the scheduler$/,
    WORDS.third,
    AFTERWARDS,
    'This conversation is closed at github; /reopen to continue.',
  ];
  private readonly held: { readonly fits: (seen: Seen) => boolean; readonly resolve: () => void }[] = [];
  private presses = 0;

  private constructor(
    private readonly discord: DiscordServer,
    private readonly issue: GithubIssue,
  ) {
    this.source = issue.connection;
    discord.manner = (seen) => {
      const index = this.held.findIndex(({ fits }) => fits(seen));
      if (index === -1) return 'ok';
      for (const { resolve } of this.held.splice(index, 1)) resolve();
      return 'hang';
    };
  }

  static async start(number: number): Promise<DiscordStage> {
    return new DiscordStage(await DiscordServer.start(), await GithubIssue.start('issues-discord', number));
  }

  get control() {
    return { connection: 'discord', parent: this.discord.world.parent };
  }

  get connections(): Record<string, object> {
    const bot = { token: BOT_TOKEN, publicKey: PUBLIC_KEY, applicationId: APPLICATION, apiUrl: this.discord.url };
    return { discord: { plugin: 'discord', source: 'private', ...bot, rate: 'off' }, ...this.issue.connections };
  }

  whispers(): string[] {
    const answers = [...this.discord.rest.answers.values()].flat();
    return answers.flatMap(({ content }) => (typeof content === 'string' ? [content] : []));
  }

  outcomes(): null {
    return null;
  }

  /** What was said before anybody ever listened is nobody's. */
  async open(door: Door): Promise<Accepted> {
    if (this.threads() === 0) await until(() => this.discord.gateway.standing > 0);
    return this.issue.open(door);
  }

  close(door: Door): Promise<Accepted> {
    return this.issue.close(door);
  }

  /** The gateway tells it. A closed thread is not among those that are asked for what was missed, so there somebody has to listen. */
  async say(_door: Door, text: string): Promise<void> {
    if (this.isArchived()) await until(() => this.discord.gateway.standing > 0);
    this.discord.world.say(this.place, text);
  }

  decide({ decision, isStranger = false, approval, isElsewhere = false }: Said): Letter {
    const asked = this.messages().findLast((message) => buttonsOf(message).length > 0);
    const pressed = asked && buttonsOf(asked).find(({ custom_id }) => custom_id.endsWith(decision));
    if (!asked || !pressed) throw new Error(`nobody is asked: ${JSON.stringify(this.thread())}`);
    const token = `interaction-${++this.presses}`;
    const channel = { id: isElsewhere ? this.discord.world.parent : this.place, type: 11, name: 'x' };
    const recorded = press(approval === undefined ? pressed.custom_id : `appr:${approval}:${decision}`);
    const interaction = { ...recorded, id: this.discord.world.nextId(), token, channel_id: channel.id, channel, message: asked };
    const body = JSON.stringify(isStranger ? { ...interaction, member: { roles: [], user: this.stranger } } : interaction);
    // What the request is answered with is the first answer to the interaction.
    this.discord.rest.answers.set(token, [{}]);
    const headers = { 'content-type': 'application/json', ...signedHeaders(Buffer.from(body)) };
    return { connection: 'discord', headers, body };
  }

  deleteThread = (): void => this.discord.world.deleteChannel(this.place);

  /** Our own messages come by the gateway as soon as they are written. */
  echo(door: Door): Promise<Accepted[]> {
    return this.issue.echo(door);
  }

  thread(): Shown[] {
    return this.messages().map((message) => ({
      by: message.author['bot'] === true ? 'agent' : 'Octo Cat',
      text: message.content.replace(UNSEEN, '').replaceAll('**', ''),
      buttons: buttonsOf(message).map(({ label }) => label),
      isEdited: message.edited_timestamp !== null,
    }));
  }

  threads(): number {
    const { world } = this.discord;
    return Math.max(world.threads().length, world.messages.get(world.parent)?.length ?? 0);
  }

  isArchived(): boolean {
    const { archived, locked } = this.discord.world.threads()[0]?.thread_metadata ?? {};
    return archived === true && locked === true;
  }

  written(): string[] {
    return this.issue.written();
  }

  hold(moment: Moment): Promise<void> | null {
    const next = (fits: (seen: Seen) => boolean) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.held.push({ fits, resolve });
      return promise;
    };
    const isPost = ({ method, path }: Seen) => method === 'POST' && /^\/channels\/\d+\/messages$/.test(path);
    const isInThread = ({ path }: Seen) => !path.includes(this.discord.world.parent);
    const hasButtons = ({ body }: Seen) => ((body['components'] ?? []) as unknown[]).length > 0;
    switch (moment) {
      case 'thread':
        return next(({ method, path }) => method === 'POST' && path.endsWith('/threads'));
      case 'output':
        return next((seen) => isPost(seen) && isInThread(seen) && !hasButtons(seen));
      case 'question':
        return next((seen) => isPost(seen) && hasButtons(seen));
      case 'end':
        return next(({ method, body }) => method === 'PATCH' && body['archived'] === true);
      default:
        return moment === 'write' ? this.issue.holdWrite() : null;
    }
  }

  async stop(): Promise<void> {
    await Promise.all([this.discord.close(), this.issue.server.close()]);
  }

  private get stranger(): object {
    return { id: '100000000000000666', username: 'eve', discriminator: '0', global_name: this.approver };
  }

  private get place(): string {
    return this.discord.world.threads()[0]?.id ?? '';
  }

  private messages(): Message[] {
    return this.discord.world.messages.get(this.place) ?? [];
  }
}

function buttonsOf({ components }: Message): Button[] {
  return (components as { readonly components: Button[] }[]).flatMap((row) => row.components);
}
