import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { ContentBlock, RequestPermissionRequest, RequestPermissionResponse } from '@agentclientprotocol/sdk';
import { type ApprovalDecision, type TurnEvent, TurnFailed, type TurnInput } from '../../plugin/index.js';
import { EventQueue } from '../event-queue.js';
import { promptText } from '../prompt-text.js';
import type { AcpAgent, AgentTurn } from './acp-agent.js';
import type { AcpOptions } from './acp-options.js';
import { stopFault } from './failures.js';
import { Permissions } from './permissions.js';
import { TurnWatch } from './turn-watch.js';
import type { ToolCall } from './update-reader.js';

/** One turn on an agent, which outlives it if all goes well. */
export class AcpTurn implements AgentTurn {
  private readonly queue = new EventQueue();
  private readonly permissions: Permissions;
  private readonly watch: TurnWatch;
  private readonly onAbort = () => void this.stop().catch(() => {});
  private worked: Promise<void> = Promise.resolve();
  private isWorking = false;
  private isPrompted = false;
  private exceeded: string | null = null;
  private stopping: Promise<void> | null = null;

  constructor(
    private readonly agent: AcpAgent,
    private readonly input: TurnInput,
    private readonly options: AcpOptions,
    private readonly signal: AbortSignal,
  ) {
    this.watch = new TurnWatch(options, (limit) => this.exceed(limit));
    this.permissions = new Permissions(options.permissions, {
      say: (event) => this.say(event),
      waiting: (isWaiting) => this.watch.hold(isWaiting),
    });
  }

  /** Yields what the agent says until it is done. Nothing works on the turn any more when this ends, however it ends. */
  async *run(): AsyncGenerator<TurnEvent, void, undefined> {
    this.begin();
    try {
      yield* this.queue;
    } catch (error) {
      this.throwIfStopped();
      throw error;
    } finally {
      await this.finish();
    }
    this.throwIfStopped();
  }

  decide(request: string, decision: ApprovalDecision): boolean {
    return this.permissions.decide(request, decision);
  }

  say(event: TurnEvent): void {
    this.queue.push(event);
  }

  sign(): void {
    this.watch.sign();
  }

  ask(call: ToolCall, options: RequestPermissionRequest['options']): Promise<RequestPermissionResponse> {
    return this.permissions.ask(call, options);
  }

  private begin(): void {
    this.isWorking = true;
    this.worked = this.work()
      .then(
        () => this.queue.end(),
        (error: unknown) => this.queue.fail(error),
      )
      .finally(() => {
        this.isWorking = false;
      });
    this.signal.addEventListener('abort', this.onAbort, { once: true });
    if (this.signal.aborted) this.onAbort();
  }

  private async work(): Promise<void> {
    await this.agent.open(this.input, this.options, this);
    this.watch.started();
    if (this.stopping !== null) return;
    this.isPrompted = true;
    const fault = stopFault(await this.agent.prompt(this.input, blocksOf(this.input), this));
    if (fault !== null) throw new TurnFailed(fault, this.agent.errorText());
  }

  private async finish(): Promise<void> {
    this.signal.removeEventListener('abort', this.onAbort);
    if (this.isWorking) await this.stop();
    await Promise.all([this.worked, this.stopping]);
    this.watch.lift();
    this.permissions.cancelAll();
    this.agent.leave();
  }

  private throwIfStopped(): void {
    this.signal.throwIfAborted();
    if (this.exceeded !== null) throw new TurnFailed(this.exceeded, this.agent.errorText());
  }

  private exceed(limit: string): void {
    this.exceeded ??= limit;
    // An agent that does not end is reported where the turn waits for its end.
    this.stop().catch(() => {});
  }

  private stop(): Promise<void> {
    this.stopping ??= this.stopAgent();
    return this.stopping;
  }

  /** Asks the agent to stop. One that does not in time is ended, and so is one that takes no messages yet. */
  private async stopAgent(): Promise<void> {
    this.permissions.cancelAll();
    if (this.isPrompted) {
      this.agent.cancel().catch(() => {});
      await Promise.race([this.worked, delay(this.options.graceMs, undefined, { ref: false })]);
    }
    if (this.isWorking) await this.agent.end();
  }
}

function blocksOf(input: TurnInput): ContentBlock[] {
  const files = input.turn.messages.flatMap(({ attachments }) => attachments);
  return [
    { type: 'text', text: promptText(input) },
    ...files.map(({ name, path, mime, size }) => ({
      ...{ type: 'resource_link' as const, name, uri: pathToFileURL(path).href, size },
      ...(mime === null ? {} : { mimeType: mime }),
    })),
  ];
}
