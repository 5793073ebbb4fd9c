import { askAgain } from '../../core/approvals/ask-again.js';
import { type Binding, boundTo, readBinding, saveThread } from '../../core/controls/bindings.js';
import { insertErrands, slotOf } from '../../core/controls/errands.js';
import type { Database } from '../../database/database.js';
import { clock, first } from '../../database/tx.js';
import { ChannelFault, type ControlThread, type Subject } from '../../plugin/index.js';
import type { Channel } from './channels.js';

/** A thread that was there so long ago is looked at again before something is written to it: its provider may have archived it. */
const VERIFIED_FOR_MS = 10 * 60_000;
const MOST_MOVES = 3;

/** A call to a channel that is cut off when it takes too long. */
export type Call = <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T>;

export function threadOf({ thread, thread_parent: parent, thread_title: title, url }: Binding): ControlThread | null {
  if (thread === null || parent === null) return null;
  return { id: thread, parent, title: title ?? '', ...(url === null ? {} : { url }) };
}

/** Sees to it that a conversation has the thread that it is to have. */
export class Threads {
  constructor(
    private readonly database: Database,
    private readonly channelOf: (binding: Binding) => Channel,
  ) {}

  /**
   * The thread to write to. One whose conversation has ended is neither looked up nor made: to look it up would open it. Null: there is
   * none, and there will be none.
   */
  async ready(conversation: string, call: Call, isAsked = false): Promise<{ thread: ControlThread; binding: Binding } | null> {
    for (let moves = 0; moves < MOST_MOVES; moves++) {
      const { binding, now } = await this.read(conversation);
      if (binding === null) return null;
      const known = threadOf(binding);
      const isFresh = binding.state === 'open' && (binding.verified_at ?? 0) > now - VERIFIED_FOR_MS && !isAsked;
      if (binding.state === 'closed' || isFresh) return known && { thread: known, binding };
      const thread = await this.ensure(binding, known, call);
      if (await this.keep(binding, thread)) return { thread, binding: { ...binding, state: 'open' } };
    }
    throw new ChannelFault('unavailable', 'the conversation is being moved to another channel; it is tried again');
  }

  private read(conversation: string): Promise<{ binding: Binding | null; now: number }> {
    return this.database.transaction(async (tx) => ({ binding: await readBinding(tx, conversation), now: await clock(tx) }));
  }

  private async ensure(binding: Binding, known: ControlThread | null, call: Call): Promise<ControlThread> {
    const { conversation, parent, title } = binding;
    const subject = await this.database.transaction((tx) =>
      first<Subject>(tx, 'select namespace, key from conversations where id = ?', [conversation]),
    );
    const { control, connection } = this.channelOf(binding);
    const wanted = { conversation, subject: subject ?? { namespace: '', key: '' }, parent, title };
    return call((signal) =>
      control.ensureThread({ ...wanted, known: known && { parent: known.parent, id: known.id } }, connection, signal),
    );
  }

  /** False: the conversation was moved meanwhile. A thread of another parent that it has left is archived. */
  private async keep(binding: Binding, thread: ControlThread): Promise<boolean> {
    const { conversation, org, connection } = binding;
    return this.database.transaction(async (tx) => {
      const [other] = await boundTo(tx, [{ org, connection, thread: thread.id }]);
      if (other && other.conversation !== conversation)
        throw new ChannelFault('refused', `the channel gave the thread ${thread.id}, which belongs to another conversation`);
      await askAgain(tx, conversation, { connection, thread: thread.id });
      if (!(await saveThread(tx, binding, thread))) return false;
      const before = threadOf(binding);
      if (before === null || before.id === thread.id || before.parent === binding.parent) return true;
      const left = { parent: before.parent, id: before.id, title: before.title };
      const slot = slotOf(conversation, 'left', connection, before.id);
      const body = { ending: null, thread: left };
      await insertErrands(tx, [{ conversation, org, connection, lane: null, kind: 'archive', slot, body }], await clock(tx));
      return true;
    });
  }
}
