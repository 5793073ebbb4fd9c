import type {
  Acknowledged,
  Connection,
  ControlChannel,
  ControlLimits,
  ControlPost,
  ControlThread,
  ReplyHandle,
  WantedThread,
} from '../../../src/plugin/index.js';
import { ChannelFault } from '../../../src/plugin/index.js';
import type { Chat, ChatThread } from './chat.js';

/** The channel of a plugin for such a chat. */
export class ChatChannel implements ControlChannel {
  constructor(
    private readonly chat: Chat,
    readonly limits: ControlLimits = { title: 100, text: 2000, editMs: 20 },
    private readonly parents: readonly string[] = ['C1', 'C2'],
  ) {}

  ensureThread(wanted: WantedThread, _: Connection, signal: AbortSignal): Promise<ControlThread> {
    return this.chat.call('ensure', wanted.conversation, signal, () => {
      if (!this.parents.includes(wanted.parent)) throw new ChannelFault('parent_gone', `there is no channel ${wanted.parent}`);
      const ours = this.chat.threadsOf(wanted.conversation).filter(({ parent }) => parent === wanted.parent);
      const known = wanted.known && ours.find(({ id }) => id === wanted.known?.id);
      const thread = known ?? ours.at(-1) ?? this.make(wanted);
      if (thread.isLocked && thread.isArchived) throw new ChannelFault('thread_locked', 'the thread is locked: unlock it, or delete it');
      thread.isArchived = false;
      return shown(thread);
    });
  }

  archive({ id }: ControlThread, _: Connection, signal: AbortSignal): Promise<void> {
    return this.chat.call('archive', id, signal, () => this.setArchived(id, true));
  }

  unarchive({ id }: ControlThread, _: Connection, signal: AbortSignal): Promise<void> {
    return this.chat.call('unarchive', id, signal, () => this.setArchived(id, false));
  }

  post({ id }: ControlThread, post: ControlPost, _: Connection, signal: AbortSignal): Promise<{ message: string }> {
    return this.chat.call('post', id, signal, () => ({ message: this.chat.post(id, post).id }));
  }

  edit({ id }: ControlThread, message: string, post: ControlPost, _: Connection, signal: AbortSignal): Promise<void> {
    return this.chat.call('edit', id, signal, () => this.chat.edit(id, message, post));
  }

  acknowledge({ message, thread }: Acknowledged, { name }: Connection, signal: AbortSignal): Promise<void> {
    return this.chat.call('acknowledge', message, signal, () => void this.chat.acknowledged.push(`${name} ${thread ?? '-'} ${message}`));
  }

  answer(handle: ReplyHandle, text: string, _: Connection, signal: AbortSignal): Promise<void> {
    return this.chat.call('answer', handle.token ?? '', signal, () => void this.chat.answers.push(`${handle.token}: ${text}`));
  }

  findMarker({ id }: ControlThread, key: string, _: Connection, signal: AbortSignal): Promise<string | null> {
    const find = () => this.chat.threads.get(id)?.messages.find((message) => message.key === key)?.id ?? null;
    return this.chat.call('find', id, signal, find);
  }

  private make({ parent, title, conversation }: WantedThread): ChatThread {
    if (this.chat.openThreads >= this.chat.mostOpen)
      throw new ChannelFault('too_many_threads', `${this.chat.mostOpen} threads are open: archive some of them`);
    return this.chat.makeThread(parent, title, conversation);
  }

  private setArchived(id: string, isArchived: boolean): void {
    const thread = this.chat.threads.get(id);
    if (thread) thread.isArchived = isArchived;
  }
}

function shown({ id, parent, title }: ChatThread): ControlThread {
  return { id, parent, title, url: `https://chat.example/${id}` };
}
