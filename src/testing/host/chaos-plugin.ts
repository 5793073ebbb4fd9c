import { Injectable, Module } from '@nestjs/common';
import { IsString, Length } from 'class-validator';
import {
  type AuthenticEvent,
  type Backfill,
  definePlugin,
  type EffectReader,
  type LifecycleHandler,
  type OutboundTool,
  type Parsed,
  type PluginDefinition,
  type Preparer,
  type Provider,
  type WebhookTransport,
} from '../../plugin/index.js';
import type { ChaosEvent, ChaosWorld } from './chaos-event.js';

class NoOptions {}

export class ChaosInput {
  @IsString()
  @Length(1, 10_000)
  readonly text!: string;
}

const webhook: WebhookTransport = {
  kind: 'webhook',
  signature: () => ({ algorithm: 'hmac-sha256', signature: { header: 'x-chaos-signature', encoding: 'hex' } }),
  deliveryId: ({ headers }) => (typeof headers['x-chaos-id'] === 'string' ? headers['x-chaos-id'] : null),
  eventKey: ({ payload }) => keyOf(payload),
};

/** The plugin of one chaos provider. */
export function chaosPlugin(at: ChaosWorld): PluginDefinition {
  class PluginOfChaos implements Provider {
    readonly transports = [webhook];
    readonly subjects = { parse };
    readonly tools = [tool(at)];
    readonly effects = effects(at);
    readonly preparer = preparer(at);
    readonly lifecycle = lifecycle(at);
    readonly backfill = backfill(at);
  }
  Injectable()(PluginOfChaos);
  class ChaosModule {}
  Module({ providers: [PluginOfChaos], exports: [PluginOfChaos] })(ChaosModule);
  return definePlugin({ name: 'chaos', apiVersion: 1, options: NoOptions, module: ChaosModule, provider: PluginOfChaos });
}

function parse({ payload }: AuthenticEvent): Parsed {
  if (!isEvent(payload)) return { kind: 'recorded', reason: 'invalid_shape', subject: null };
  const { tenant, thing, author, state, revision, action, at, text = '', write } = payload;
  const about = {
    ...{ subject: { namespace: `chaos:${tenant}:thing`, key: thing }, title: thing, occurredAt: at },
    author: { id: author, name: author, isBot: false },
    observation: {
      ...{ state: state === 'closed' ? ('terminal' as const) : ('open' as const), reason: state, revision },
      transition: action !== 'said',
    },
  };
  if (action !== 'said') return { ...about, kind: 'lifecycle' };
  const evidence = {
    account: tenant,
    kind: 'message',
    action: 'create',
    ids: { message: write?.id ?? payload.id },
    marker: write?.key ?? null,
  };
  return { ...about, kind: 'prompt', text, messageKey: payload.id, evidence };
}

function keyOf(payload: unknown): string {
  return isEvent(payload) ? `thing.${payload.action}` : 'unknown';
}

function isEvent(payload: unknown): payload is ChaosEvent {
  if (typeof payload !== 'object' || payload === null) return false;
  const { id, tenant, action, thing, state, revision, at, author, text, write } = payload as Record<string, unknown>;
  const isTold = [id, tenant, thing, revision, at, author, text === undefined ? '' : text].every((each) => typeof each === 'string');
  const isKnown = ['said', 'closed', 'reopened'].some((each) => each === action) && ['open', 'closed'].some((each) => each === state);
  return isTold && id !== '' && isKnown && (write === undefined || isWrite(write));
}

function isWrite(write: unknown): boolean {
  if (typeof write !== 'object' || write === null) return false;
  const { id, key } = write as Record<string, unknown>;
  return typeof id === 'string' && typeof key === 'string';
}

function tool(at: ChaosWorld): OutboundTool<object, ChaosInput> {
  return {
    ...{ name: 'chaos_write', description: 'Says something about the thing of this conversation.', input: ChaosInput, isMarked: true },
    scope: (_, { subject }) => ({ account: subject.namespace.split(':')[1] ?? '', kind: 'message', action: 'create', subject }),
    execute: async ({ text }, { subject }, key) => ({ ids: { message: at.write(subject.key, text, key).id } }),
  };
}

function effects(at: ChaosWorld): EffectReader {
  return {
    find: async ({ marker }) => {
      at.assertUp('effects');
      const found = at.writes.find(({ key }) => key === marker);
      return found ? { ids: { message: found.id } } : 'absent';
    },
  };
}

/** Looks whether the thing is open before an agent is woken. */
function preparer(at: ChaosWorld): Preparer {
  return {
    prepare: async ({ conversation: { key } }) => {
      at.assertUp('prepare');
      const revision = at.events.findLast(({ thing }) => thing === key)?.revision ?? '';
      return { verdict: 'proceed', observation: { state: at.isOpen(key) ? 'open' : 'terminal', reason: 'closed', revision } };
    },
  };
}

function lifecycle(at: ChaosWorld): LifecycleHandler {
  return {
    settle: async ({ conversation, fence }) => {
      if (!(await fence.holds())) return;
      at.assertUp('settle');
      at.settled.push(conversation.key);
    },
  };
}

function backfill(at: ChaosWorld): Backfill {
  return {
    since: async (_connection, mark, sink) => {
      at.assertUp('history');
      for (const event of at.events)
        if (Date.parse(event.at) >= mark.getTime())
          await sink.accept({ deliveryId: event.id, eventKey: keyOf(event), payload: event, isCopy: true });
    },
  };
}
