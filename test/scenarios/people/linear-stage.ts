import { createHmac, randomUUID } from 'node:crypto';
import { APP_USER, LinearServer } from '../../fakes/linear/linear-server.js';
import { fixtureText } from '../../plugins/golden.js';
import {
  type Accepted,
  AFTERWARDS,
  askedFor,
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

const SECRET = 'linear-webhook-signing-secret';
const STRANGER = '66666666-0000-4000-8000-000000000666';
const DECIDED = /^Approved by .* at linear(, and done)?: /;

type Recorded = Json & { readonly data: Json; readonly agentSession: Json; readonly agentActivity: Json };

/** An issue at Linear that is delegated to the agent, or is only created there; its thread is an agent session, whose activities stay. */
export class LinearStage implements Stage {
  readonly name = 'linear';
  readonly source = 'linear';
  readonly control = { connection: 'linear', parent: 'linear' };
  readonly approver = 'aacdca22-6266-4c0a-ab3c-8fa70a26765c';
  readonly deleteThread = null;
  readonly strangersCommand = null;
  readonly flags = [];
  readonly edits = false;
  readonly questions = [/npm test/, /linear\.linear_comment/];
  readonly expected = [
    WORDS.first,
    GO_AHEAD,
    /^A person is asked: npm test\n/,
    /^\/approve [\w-]+$/,
    'Approved: npm test',
    /^A person is asked: linear\.linear_comment .* at \[LIN-1778\] Repair scheduler\n/,
    WORDS.second,
    /^\/approve [\w-]+$/,
    /^Approved: linear\.linear_comment/,
    WORDS.third,
    AFTERWARDS,
    'This conversation is closed at linear; /reopen to continue.',
  ];
  private readonly told = new Set<unknown>();
  private readonly opening = randomUUID();

  private constructor(
    private readonly linear: LinearServer,
    private readonly begins: 'delegated' | 'created',
  ) {
    if (begins === 'delegated') linear.addSession();
  }

  static async start(begins: 'delegated' | 'created'): Promise<LinearStage> {
    return new LinearStage(await LinearServer.start(), begins);
  }

  get connections(): Record<string, object> {
    const { token, url } = this.linear;
    return { linear: { plugin: 'linear', source: 'private', secret: SECRET, token, apiUrl: url, appUserId: APP_USER, rate: 'off' } };
  }

  whispers(): null {
    return null;
  }

  open(door: Door): Promise<Accepted> {
    if (this.begins === 'created') return post(door, this.letter(recorded('issue.create.todo'), this.opening));
    const event = recorded('agent-session.created.delegation');
    return post(door, this.letter({ ...event, agentSession: { ...event.agentSession, id: this.session } }, this.opening));
  }

  close(door: Door): Promise<Accepted> {
    const event = recorded('issue.update.state-completed');
    return post(door, this.letter({ ...event, data: { ...event.data, updatedAt: '2026-01-02T00:00:00.000Z' } }));
  }

  async say(door: Door, text: string): Promise<void> {
    await post(door, this.prompted(text));
  }

  private prompted(text: string, user: Json = {}): Letter {
    const [id, content] = [randomUUID(), { type: 'prompt', body: text }];
    this.linear.activities.push({ id, agentSession: { id: this.session }, content, ephemeral: false });
    const event = recorded('agent-session.prompted');
    const { sourceCommentId: _, ...activity } = event.agentActivity;
    const agentActivity = { ...activity, id, agentSessionId: this.session, content, ...user };
    return this.letter({ ...event, agentSession: { ...event.agentSession, id: this.session }, agentActivity });
  }

  /** A session has no buttons: an elicitation says what to write. */
  decide({ decision, isStranger, approval = askedFor(this.thread()) }: Said): Letter {
    const stranger = { userId: STRANGER, user: { id: STRANGER, name: this.approver } };
    return this.prompted(`/${decision} ${approval}`, isStranger ? stranger : {});
  }

  /** A personal key writes in the name of its person: the actor tells nothing. */
  async echo(door: Door): Promise<Accepted[]> {
    const answers: Accepted[] = [];
    for (const { id, body, updatedAt } of this.linear.comments.filter((comment) => !this.told.has(comment['id']))) {
      this.told.add(id);
      const event = recorded('comment.create');
      const comment = { ...event, data: { ...event.data, id, body, createdAt: updatedAt, updatedAt } };
      answers.push(await post(door, this.letter(comment)), await post(door, this.letter(comment)));
    }
    return answers;
  }

  thread(): Shown[] {
    return this.said().filter(({ text }) => !DECIDED.test(text));
  }

  /** How soon after one another they are said decides whether what is between is said at all. */
  outcomes(): string[] {
    return this.said().flatMap(({ text }) => (DECIDED.exec(text)?.[1] === ', and done' ? [text] : []));
  }

  threads(): number {
    return this.linear.sessions.length;
  }

  /** Linear derives the state of a session from its last activity. */
  isArchived(): boolean {
    return true;
  }

  written(): string[] {
    return this.linear.comments.map(({ body }) => String(body));
  }

  hold(moment: Moment): Promise<void> | null {
    const next = (mutation: string, fits: (input: Json) => boolean = () => true) =>
      held(this.linear, ({ body }) => {
        const { query, variables } = JSON.parse(body) as { query: string; variables: { input?: Json } };
        return query.includes(mutation) && fits(variables.input ?? {});
      });
    const isOf = (type: string) => (input: Json) => (input['content'] as Json | undefined)?.['type'] === type;
    switch (moment) {
      case 'thread':
        return this.begins === 'created' ? next('agentSessionCreateOnIssue') : null;
      case 'output':
        return next('agentActivityCreate', isOf('response'));
      case 'question':
        return next('agentActivityCreate', isOf('elicitation'));
      case 'write':
        return next('commentCreate');
      default:
        return null;
    }
  }

  stop(): Promise<void> {
    return this.linear.close();
  }

  private said(): Shown[] {
    const shown = this.linear.activities.filter(({ ephemeral }) => ephemeral !== true);
    return shown.map(({ content }) => {
      const { type, body } = content as { readonly type: string; readonly body: string };
      return { by: type === 'prompt' ? 'Mona Octocat' : 'agent', text: body.replaceAll('**', '') };
    });
  }

  private get session(): string {
    return String(this.linear.sessions[0]?.['id'] ?? '');
  }

  private letter(event: Json, id: string = randomUUID()): Letter {
    const body = JSON.stringify({ ...event, webhookTimestamp: Date.now() });
    const signature = createHmac('sha256', SECRET).update(body).digest('hex');
    return {
      connection: 'linear',
      headers: { 'content-type': 'application/json', 'linear-delivery': id, 'linear-signature': signature },
      body,
    };
  }
}

function recorded(name: string): Recorded {
  return JSON.parse(fixtureText(`linear/constructed/${name}.json`)) as Recorded;
}
