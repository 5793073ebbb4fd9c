import { Injectable, Module } from '@nestjs/common';
import { type AgentRuntime, type ApprovalDecision, definePlugin, type Provider, type TurnEvent, type TurnInput } from 'throughline/plugin';

/** Every turn that began in this process, in order. */
export const turns: TurnInput[] = [];
/** What agents were told of what they asked for. */
export const answers: string[] = [];

/** An agent in this process: `ask: <what>` makes it ask for that and say what it was told; to anything else it says `ok`. */
class AskingRuntime implements AgentRuntime {
  private readonly waiting = new Map<string, (decision: ApprovalDecision) => void>();

  async *startTurn(input: TurnInput, signal: AbortSignal): AsyncGenerator<TurnEvent> {
    turns.push(input);
    const [, what] = /ask: (\w+)/.exec(input.turn.messages.map(({ text }) => text).join('\n')) ?? [];
    if (what === undefined) {
      yield { type: 'result', text: 'ok' };
      return;
    }
    const answer = new Promise<ApprovalDecision>((resolve, reject) => {
      this.waiting.set(`${input.turn.id} ${what}`, resolve);
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
    answer.catch(() => undefined);
    yield { type: 'approval', id: what, title: `Run ${what}`, body: `$ ${what} --now` };
    const decision = await answer;
    answers.push(`${what} ${decision}`);
    yield { type: 'result', text: `${what} ${decision}` };
  }

  async decide(turn: string, request: string, decision: ApprovalDecision): Promise<boolean> {
    const resolve = this.waiting.get(`${turn} ${request}`);
    this.waiting.delete(`${turn} ${request}`);
    resolve?.(decision);
    return resolve !== undefined;
  }
}

class AgentConnection {}

@Injectable()
export class AgentProvider implements Provider<AgentConnection> {
  readonly transports = [];
  readonly subjects = { parse: () => ({ kind: 'recorded', subject: null, reason: 'unknown_event' }) as const };
  readonly runtimes = { asking: () => new AskingRuntime() };
}

@Module({ providers: [AgentProvider], exports: [AgentProvider] })
export class AgentModule {}

export default definePlugin({ name: 'agent', apiVersion: 1, options: AgentConnection, module: AgentModule, provider: AgentProvider });
