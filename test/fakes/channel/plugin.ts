import { Injectable, Module } from '@nestjs/common';
import { IsString } from 'class-validator';
import {
  type AgentRuntime,
  type AuthenticEvent,
  type Connection,
  type ControlAction,
  type ControlChannel,
  definePlugin,
  type Parsed,
  type Provider,
  type TurnEvent,
  type TurnInput,
  type VerifiedRequest,
  type WebhookTransport,
} from 'throughline/plugin';
import { Chat } from './chat.js';
import { ChatChannel } from './chat-channel.js';

/** The chats of this process, by the name that a connection gives. */
const chats = new Map<string, Chat>();
/** Every turn that began in this process, in order. */
export const turns: TurnInput[] = [];

export function chatNamed(name: string): Chat {
  const chat = chats.get(name) ?? new Chat();
  chats.set(name, chat);
  return chat;
}

export class ChatConnection {
  @IsString()
  readonly chat!: string;
}

/** What the chat posts: about an issue, or out of a thread. */
export interface ChatEvent {
  readonly id: string;
  readonly issue?: string;
  readonly title?: string;
  readonly closed?: string;
  readonly thread?: string;
  readonly text?: string;
  readonly action?: ControlAction;
}

class ChatWebhook implements WebhookTransport<ChatConnection> {
  readonly kind = 'webhook';
  signature = () => ({ algorithm: 'token', signature: { header: 'x-chat-secret' } }) as const;
  deliveryId = ({ payload }: VerifiedRequest) => (payload as ChatEvent).id;
  eventKey = () => 'chat.event';
}

const ADA = { id: 'U1', name: 'ada', isBot: false };

function parse({ payload }: AuthenticEvent<ChatConnection>): Parsed {
  const { id, issue, title, closed, thread, text = '', action } = payload as ChatEvent;
  if (action !== undefined && thread !== undefined)
    return { kind: 'action', subject: null, thread, author: ADA, action, reply: { token: id } };
  const subject = { namespace: 'chat:acme:issue', key: issue ?? thread ?? '' };
  if (closed !== undefined)
    return { kind: 'lifecycle', subject, observation: { state: 'terminal', reason: 'completed', revision: closed, transition: true } };
  const about = { ...(title !== undefined && { title }), ...(thread !== undefined && { thread }) };
  return { kind: 'prompt', subject, text, author: ADA, messageKey: id, ...about };
}

/** Says `Working.` and what it was told; told to `hang`, it ends at its second try only. */
class TalkingRuntime implements AgentRuntime {
  async *startTurn(input: TurnInput, signal: AbortSignal): AsyncGenerator<TurnEvent> {
    turns.push(input);
    const said = input.turn.messages.map(({ text }) => text).join('\n');
    yield { type: 'session', id: input.session ?? `session of ${input.conversation.id}` };
    yield { type: 'text', text: 'Working.' };
    if (/hang/.test(said) && input.turn.attempt === 1) {
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }));
    }
    yield { type: 'text', text: ` I was told: ${said.split('\n').at(-1)}` };
  }
}

/** Each connection has a chat of its own. */
class NamedChannel implements ControlChannel<ChatConnection> {
  readonly limits = { title: 100, text: 2000, editMs: 20 };
  ensureThread: ControlChannel<ChatConnection>['ensureThread'] = (wanted, c, signal) => of(c).ensureThread(wanted, c, signal);
  archive: ControlChannel<ChatConnection>['archive'] = (thread, c, signal) => of(c).archive(thread, c, signal);
  unarchive: ControlChannel<ChatConnection>['unarchive'] = (thread, c, signal) => of(c).unarchive(thread, c, signal);
  post: ControlChannel<ChatConnection>['post'] = (thread, post, c, signal) => of(c).post(thread, post, c, signal);
  edit: ControlChannel<ChatConnection>['edit'] = (thread, message, post, c, signal) => of(c).edit(thread, message, post, c, signal);
  findMarker: ControlChannel<ChatConnection>['findMarker'] = (thread, key, c, signal) => of(c).findMarker(thread, key, c, signal);
  acknowledge: NonNullable<ControlChannel<ChatConnection>['acknowledge']> = (what, c, signal) => of(c).acknowledge(what, c, signal);
  answer: NonNullable<ControlChannel<ChatConnection>['answer']> = (handle, text, c, signal) => of(c).answer(handle, text, c, signal);
}

function of({ options }: Connection<ChatConnection>): ChatChannel {
  return new ChatChannel(chatNamed(options.chat));
}

@Injectable()
export class ChatProvider implements Provider<ChatConnection> {
  readonly transports = [new ChatWebhook()];
  readonly subjects = { parse };
  readonly control = new NamedChannel();
  readonly runtimes = { talking: () => new TalkingRuntime() };
}

@Module({ providers: [ChatProvider], exports: [ChatProvider] })
export class ChatModule {}

export default definePlugin({ name: 'chat', apiVersion: 1, options: ChatConnection, module: ChatModule, provider: ChatProvider });
