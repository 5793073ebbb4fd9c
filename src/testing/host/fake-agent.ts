import { Injectable, Module } from '@nestjs/common';
import { type AgentRuntime, definePlugin, type PluginDefinition, type Provider, TurnFailed, type TurnInput } from '../../plugin/index.js';
import { FakeTurn, type Script } from './fake-turn.js';

/** An agent in this process. What it does is a function of the test's; without one it says `done`. */
export class FakeAgent {
  /** Every turn that began, in order. */
  readonly turns: FakeTurn[] = [];
  private readonly next: Script[] = [];
  private gate: PromiseWithResolvers<void> | null = null;
  private waiting = 0;

  constructor(private script: Script = () => 'done') {}

  /** What it does from now on. */
  does(script: Script): this {
    this.script = script;
    return this;
  }

  /** What it does once, before all that follows. */
  once(script: Script): this {
    this.next.push(script);
    return this;
  }

  /** Fails so many turns, one after the other. */
  fail(message: string, times = 1): this {
    for (let failed = 0; failed < times; failed += 1) this.once(() => Promise.reject(new TurnFailed(message)));
    return this;
  }

  /** Turns that begin from now on wait until it is released. */
  hold(): void {
    this.gate ??= Promise.withResolvers();
  }

  release(): void {
    this.gate?.resolve();
    this.gate = null;
  }

  /** How many turns wait. */
  get held(): number {
    return this.waiting;
  }

  /** The texts that it was given, turn by turn; of one conversation, or of all. */
  heard(conversation?: string): string[][] {
    const turns = this.turns.filter((turn) => conversation === undefined || turn.conversation === conversation);
    return turns.map(({ texts }) => [...texts]);
  }

  runtime(): AgentRuntime {
    const running = new Map<string, FakeTurn>();
    return {
      startTurn: (input, signal) => this.play(input, signal, running),
      decide: async (turn, request, decision) => running.get(turn)?.decide(request, decision) ?? false,
    };
  }

  private async *play(input: TurnInput, signal: AbortSignal, running: Map<string, FakeTurn>) {
    const turn = new FakeTurn(input, signal);
    this.turns.push(turn);
    running.set(input.turn.id, turn);
    const script = this.next.shift() ?? this.script;
    try {
      yield* turn.play(async () => {
        await this.passed(turn);
        return script(turn);
      });
    } finally {
      running.delete(input.turn.id);
    }
  }

  private async passed(turn: FakeTurn): Promise<void> {
    const { gate } = this;
    if (gate === null) return;
    this.waiting += 1;
    await turn
      .unlessStopped<void>((resolve) => void gate.promise.then(resolve))
      .finally(() => {
        this.waiting -= 1;
      });
  }
}

class NoOptions {}

/** A plugin that brings the agent as the kind of runtime `fake`. */
export function agentPlugin(agent: FakeAgent): PluginDefinition {
  class AgentProvider implements Provider {
    readonly transports = [];
    readonly subjects = { parse: () => ({ kind: 'recorded', subject: null, reason: 'unknown_event' }) as const };
    readonly runtimes = { fake: () => agent.runtime() };
  }
  Injectable()(AgentProvider);
  class AgentModule {}
  Module({ providers: [AgentProvider], exports: [AgentProvider] })(AgentModule);
  return definePlugin({ name: 'fake-agent', apiVersion: 1, options: NoOptions, module: AgentModule, provider: AgentProvider });
}
