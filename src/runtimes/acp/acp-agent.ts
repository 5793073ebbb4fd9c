import {
  type ClientConnection,
  type ClientContext,
  type ContentBlock,
  client,
  methods,
  PROTOCOL_VERSION,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
} from '@agentclientprotocol/sdk';
import type { TurnEvent, TurnInput } from '../../plugin/index.js';
import { type Fields, fieldsOf, shown } from '../process/agent-event.js';
import { AgentProcess } from '../process/agent-process.js';
import { OrphanGuard } from '../process/orphan-guard.js';
import { processIdentity } from '../process/process-identity.js';
import type { AcpOptions } from './acp-options.js';
import { agentStream } from './agent-stream.js';
import { type AgentTraits, traitsOf } from './agent-traits.js';
import { failureOf } from './failures.js';
import { openSession } from './open-session.js';
import { type ToolCall, UpdateReader } from './update-reader.js';

/** Of lines that are nothing of the protocol so many are shown in a turn. */
const MOST_NOISE = 20;

/** The turn that an agent works on. */
export interface AgentTurn {
  say(event: TurnEvent): void;
  /** Something came of the agent, whatever it was. */
  sign(): void;
  ask(call: ToolCall, options: RequestPermissionRequest['options']): Promise<RequestPermissionResponse>;
}

/** An agent of one conversation: its process, the connection with it and its session. It does turns one after the other. */
export class AcpAgent {
  traits: AgentTraits | null = null;
  /** What the agent calls its session; null: it has none yet. */
  session: string | null = null;
  /** The last turn that it was given. */
  last: TurnInput;
  private readonly connection: ClientConnection;
  private updates = new UpdateReader(0);
  private turn: AgentTurn | null = null;
  private noises = 0;
  private ending: Promise<void> | null = null;

  private constructor(
    private readonly process: AgentProcess,
    readonly startedAt: string,
    input: TurnInput,
  ) {
    this.last = input;
    const stream = agentStream(process, { update: (params) => this.hear(params), noise: (line) => this.hearNoise(line) });
    this.connection = client({ name: 'throughline' })
      .onRequest(methods.client.session.requestPermission, ({ params }) => this.askPermission(params))
      .connect(stream);
  }

  /** Starts the program. Throws `TurnFailed` when it cannot be started. */
  static async start(options: AcpOptions, input: TurnInput): Promise<AcpAgent> {
    const { agent, startedAt } = await AgentProcess.start({ ...options, idleTimeoutMs: null }, input);
    const guard = new OrphanGuard(agent.pid, options.graceMs);
    // By then its number may be somebody else's.
    agent.gone().then(
      () => guard.release(),
      () => undefined,
    );
    return new AcpAgent(agent, startedAt, input);
  }

  get pid(): number {
    return this.process.pid;
  }

  /** The last 4 KB of its stderr, or null. */
  errorText(): string | null {
    return this.process.errorText();
  }

  /** Whether it can be talked to. */
  get isAlive(): boolean {
    return this.ending === null && !this.connection.signal.aborted && this.process.exit === null;
  }

  /** Whether its process is there, by the system's word: one that crashed a moment ago has not been heard of. */
  async runs(): Promise<boolean> {
    return (await processIdentity(this.pid)) === this.startedAt;
  }

  /** Makes it ready for messages, once: agrees on the protocol, and opens its session or goes on with it. */
  async open(input: TurnInput, { mode, cwd }: Pick<AcpOptions, 'mode' | 'cwd'>, turn: AgentTurn): Promise<void> {
    this.turn = turn;
    if (this.session !== null) return;
    const clientCapabilities = { fs: { readTextFile: false, writeTextFile: false }, terminal: false };
    const asked = { protocolVersion: PROTOCOL_VERSION, clientCapabilities, clientInfo: { name: 'throughline', version: '1' } };
    const traits = traitsOf(await this.request('starting', (agent) => agent.request(methods.agent.initialize, asked)));
    this.traits = traits;
    const say = (event: TurnEvent) => turn.say(event);
    this.session = await this.request('opening its session', (agent) => openSession(agent, { traits, input, mode, cwd, say }));
  }

  /** Gives it the messages of a turn and resolves with why it stopped. */
  async prompt(input: TurnInput, prompt: ContentBlock[], turn: AgentTurn): Promise<string> {
    this.turn = turn;
    this.last = input;
    this.noises = 0;
    this.updates = new UpdateReader(this.updates.totalUsd);
    const sessionId = this.session ?? '';
    const answer = await this.request('working on the turn', (agent) => agent.request(methods.agent.session.prompt, { sessionId, prompt }));
    for (const event of this.updates.end()) turn.say(event);
    return String(fieldsOf(answer)?.['stopReason']);
  }

  /** Asks it to stop what it does. */
  async cancel(): Promise<void> {
    if (this.session !== null) await this.connection.agent.notify(methods.agent.session.cancel, { sessionId: this.session });
  }

  /** Nobody listens any more. */
  leave(): void {
    this.turn = null;
  }

  /** Its process group is gone when this resolves. */
  end(): Promise<void> {
    this.ending ??= this.process.dispose().finally(() => this.connection.close());
    return this.ending;
  }

  private async request<T>(what: string, ask: (agent: ClientContext) => Promise<T>): Promise<T> {
    try {
      return await ask(this.connection.agent);
    } catch (error) {
      throw await failureOf(error, what, { process: this.process, logins: this.traits?.logins ?? [] });
    }
  }

  /** Until its session stands, what an agent says is what it said before. */
  private hear(params: Fields): void {
    const { turn, session } = this;
    const update = fieldsOf(params['update']);
    turn?.sign();
    if (update === null || (session !== null && params['sessionId'] !== session)) return;
    for (const event of this.updates.read(update)) if (session !== null) turn?.say(event);
  }

  private hearNoise(line: string): void {
    this.turn?.sign();
    if (this.noises > MOST_NOISE) return;
    const text = this.noises++ < MOST_NOISE ? shown(line) : 'the agent prints more that is nothing of its protocol';
    this.turn?.say({ type: 'status', text });
  }

  private async askPermission({ sessionId, toolCall, options }: RequestPermissionRequest): Promise<RequestPermissionResponse> {
    this.turn?.sign();
    if (this.turn === null || sessionId !== this.session) return { outcome: { outcome: 'cancelled' } };
    return this.turn.ask(this.updates.described({ ...toolCall }), options);
  }
}
