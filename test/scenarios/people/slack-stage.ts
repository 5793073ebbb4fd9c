import { createHmac, randomUUID } from 'node:crypto';
import type { Call } from '../../fakes/fault-server.js';
import { isMethod, type SlackMessage, SlackServer } from '../../fakes/slack/slack-server.js';
import { fixtureText } from '../../plugins/golden.js';
import { GithubIssue } from './github-issue.js';
import {
  type Accepted,
  AFTERWARDS,
  type Door,
  GO_AHEAD,
  held,
  type Json,
  type Letter,
  type Moment,
  post,
  type Said,
  type Shown,
  type Stage,
  WORDS,
} from './stage.js';

const SECRET = '8f742231b10e8888abcd99yyyzzz85a5';
const CHANNEL = 'C0001';
const CLOSED = 'This conversation is closed at github; /reopen to continue.';

/** An issue at GitHub whose conversation is shown in a thread at Slack. */
export class SlackStage implements Stage {
  readonly name = 'slack';
  readonly source: string;
  readonly control = { connection: 'slack', parent: CHANNEL };
  readonly approver = 'U0001';
  readonly strangersCommand = null;
  readonly flags = [];
  readonly edits = true;
  readonly questions = [/npm test/, /github\.github_comment/];
  readonly expected = [
    WORDS.first,
    GO_AHEAD,
    WORDS.second,
    'Approved by octocat at slack, and done: npm test',
    /^Approved by octocat at slack, and done: github\.github_comment .* at \[acme\/api#\d+\] Repair the scheduler$/,
    WORDS.third,
    AFTERWARDS,
    CLOSED,
  ];
  private readonly told = new Set<string>();
  private presses = 0;

  private constructor(
    private readonly slack: SlackServer,
    readonly issue: GithubIssue,
  ) {
    slack.addChannel(CHANNEL);
    this.source = issue.connection;
  }

  static async start(number: number): Promise<SlackStage> {
    return new SlackStage(await SlackServer.start(), await GithubIssue.start('issues-slack', number));
  }

  get connections(): Record<string, object> {
    const { url, token } = this.slack;
    const own = { plugin: 'slack', source: 'private', secret: SECRET, token, apiUrl: `${url}/api/`, rate: 'off' };
    return { slack: own, ...this.issue.connections };
  }

  whispers(): string[] {
    return this.slack.whispers.map(({ text }) => String(text));
  }

  outcomes(): null {
    return null;
  }

  open(door: Door): Promise<Accepted> {
    return this.issue.open(door);
  }

  close(door: Door): Promise<Accepted> {
    return this.issue.close(door);
  }

  async say(door: Door, text: string): Promise<void> {
    await this.tell(door, 'message.thread-reply', this.slack.say(CHANNEL, { thread_ts: this.root, text }), { user: 'U0001' });
  }

  /** As Slack posts a press: a form, with what the button holds. */
  decide({ decision, isStranger = false, approval, isElsewhere = false }: Said): Letter {
    const asked = this.replies().findLast(({ blocks }) => buttonsOf(blocks).length > 0);
    const pressed = buttonsOf(asked?.blocks ?? []).find(({ value }) => String(value).includes(`"${decision}"`));
    if (!asked || !pressed) throw new Error(`nobody is asked: ${JSON.stringify(this.thread())}`);
    const value = approval === undefined ? pressed['value'] : JSON.stringify({ type: 'decision', approval, decision });
    const thread_ts = isElsewhere ? '1767225600.999999' : this.root;
    const place = { message_ts: asked.ts, channel_id: CHANNEL, thread_ts };
    const recorded = JSON.parse(fixtureText('slack/constructed/block_actions.approve.json')) as Json;
    const payload = {
      ...recorded,
      ...(isStranger && { user: { ...(recorded['user'] as Json), id: 'U0666', name: this.approver, username: this.approver } }),
      container: { type: 'message', is_ephemeral: false, ...place },
      message: { ...(recorded['message'] as Json), ts: asked.ts, text: asked.text, thread_ts },
      response_url: `${this.slack.url}/response/${asked.ts}`,
      actions: [{ ...pressed, value, action_ts: `${Math.floor(Date.now() / 1000)}.${String(++this.presses).padStart(6, '0')}` }],
    };
    const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
    return letter('application/x-www-form-urlencoded', body);
  }

  deleteThread = (): void => void this.messages().splice(0);

  async echo(door: Door): Promise<Accepted[]> {
    const own = this.messages().filter(({ ts, bot_id }) => bot_id !== undefined && !this.told.has(ts));
    for (const message of own) {
      const answer = await this.tell(door, 'message.own-bot-echo', message, { user: 'U0BOT', bot_id: 'B0001', app_id: 'A0001' });
      if (answer.reason !== 'own_message') throw new Error(`a message of our own was ${JSON.stringify(answer)}`);
    }
    return this.issue.echo(door);
  }

  thread(): Shown[] {
    const edited = new Set(this.slack.callsOf('chat.update').map(({ body }) => new URLSearchParams(body).get('ts')));
    return this.replies().map(({ ts, text, bot_id, blocks }) => ({
      by: bot_id === undefined ? 'octocat' : 'agent',
      text: text.replaceAll(/\*([^*\n]+)\*/g, '$1'),
      buttons: buttonsOf(blocks).map((button) => String((button['text'] as Json)['text'])),
      isEdited: edited.has(ts),
    }));
  }

  threads(): number {
    return this.messages().filter(({ thread_ts }) => thread_ts === undefined).length;
  }

  /** Slack has no way to close a thread. */
  isArchived(): boolean {
    return true;
  }

  written(): string[] {
    return this.issue.written();
  }

  hold(moment: Moment): Promise<void> | null {
    const posts = (fits: (values: URLSearchParams) => boolean) =>
      held(this.slack, (call: Call) => isMethod(call, 'chat.postMessage') && fits(new URLSearchParams(call.body)));
    const hasButtons = (values: URLSearchParams) => (values.get('blocks') ?? '').includes('"actions"');
    switch (moment) {
      case 'thread':
        return posts((values) => !values.has('thread_ts'));
      case 'output':
        return posts((values) => values.has('thread_ts') && !hasButtons(values));
      case 'question':
        return posts(hasButtons);
      case 'write':
        return this.issue.holdWrite();
      default:
        return null;
    }
  }

  async stop(): Promise<void> {
    await Promise.all([this.slack.close(), this.issue.server.close()]);
  }

  get title(): string {
    return this.messages()[0]?.text.replaceAll('*', '') ?? '';
  }

  private messages(): SlackMessage[] {
    return this.slack.channels.get(CHANNEL)?.messages ?? [];
  }

  private get root(): string {
    return this.messages().find(({ thread_ts }) => thread_ts === undefined)?.ts ?? '';
  }

  private replies(): SlackMessage[] {
    const { root } = this;
    return this.messages().filter(({ thread_ts }) => thread_ts === root);
  }

  private tell(door: Door, fixture: string, { ts, text, thread_ts }: SlackMessage, by: Json): Promise<Accepted> {
    this.told.add(ts);
    const recorded = JSON.parse(fixtureText(`slack/constructed/${fixture}.json`)) as Json & { event: Json };
    const { thread_ts: _, ...about } = recorded.event;
    const event = { ...about, ...by, ts, event_ts: ts, channel: CHANNEL, text, ...(thread_ts !== undefined && { thread_ts }) };
    return post(door, letter('application/json', JSON.stringify({ ...recorded, event, event_id: `Ev${randomUUID()}` })));
  }
}

function letter(type: string, body: string): Letter {
  const seconds = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', SECRET).update(`v0:${seconds}:${body}`).digest('hex');
  const signed = { 'x-slack-request-timestamp': seconds, 'x-slack-signature': `v0=${signature}` };
  return { connection: 'slack', headers: { 'content-type': type, ...signed }, body };
}

function buttonsOf(blocks: SlackMessage['blocks']): Json[] {
  return blocks.flatMap(({ elements }) => (Array.isArray(elements) ? (elements as Json[]) : []));
}
