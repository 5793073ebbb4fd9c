import { v5 } from 'uuid';
import type { Binding } from '../../core/controls/bindings.js';
import { readBinding } from '../../core/controls/bindings.js';
import type { ErrandBodies, ErrandKind } from '../../core/controls/errand.js';
import type { ErrandRow, Posted } from '../../core/controls/errands.js';
import { readEnding } from '../../core/conversations/conversations.js';
import type { Database } from '../../database/database.js';
import { ChannelFault, type ControlThread } from '../../plugin/index.js';
import { within } from '../within.js';
import type { Channel, Channels } from './channels.js';
import { type Call, Threads, threadOf } from './threads.js';

/** What came of an errand. */
export type Result =
  | { readonly how: 'done'; readonly posted: Posted | null }
  /** Nobody is to see it any more. */
  | { readonly how: 'dropped'; readonly why: string };

const DONE: Result = { how: 'done', posted: null };

type Work = (errand: ErrandRow) => Promise<Result>;

/** Does errands at their channels. May be repeated: what was done already is found to be so. Throws what the channel throws. */
export class ErrandWork {
  private readonly threads: Threads;
  private readonly kinds: Readonly<Record<Exclude<ErrandKind, 'action'>, Work>> = {
    post: (errand) => this.show(errand),
    answer: (errand) => this.answer(errand),
    acknowledge: (errand) => this.acknowledge(errand),
    archive: (errand) => this.archive(errand),
    unarchive: (errand) => this.unarchive(errand),
    ensure: (errand) => this.ensure(errand),
  };

  constructor(
    private readonly database: Database,
    private readonly channels: Channels,
    private readonly callMs: number,
    private readonly signal: AbortSignal,
  ) {
    this.threads = new Threads(database, (binding) => this.channelOf(binding));
  }

  do(errand: ErrandRow): Promise<Result> {
    const work = (this.kinds as Readonly<Record<string, Work>>)[errand.kind];
    if (work === undefined) throw new Error(`nobody here knows how to ${errand.kind}`);
    return work(errand);
  }

  private readonly call: Call = (work) => within(this.callMs, this.signal, work);

  private async show(errand: ErrandRow): Promise<Result> {
    const place = await this.threads.ready(errand.conversation ?? '', this.call);
    if (place === null) return { how: 'dropped', why: 'its conversation has ended without a thread, or is shown nowhere' };
    const { thread, binding } = place;
    const channel = this.channelOf(binding);
    const message = await this.write(errand, thread, channel);
    // To write to an archived thread opens it.
    if (binding.state === 'closed') await this.call((signal) => channel.control.archive(thread, channel.connection, signal));
    return { how: 'done', posted: { message, thread: thread.id } };
  }

  /** The message as it is to be read now; its id. */
  private async write(errand: ErrandRow, thread: ControlThread, { control, connection }: Channel): Promise<string> {
    const { text, buttons, isApproval } = bodyOf<'post'>(errand);
    const known = await this.find(errand, thread, { control, connection });
    const mayEdit = control.limits.editMs !== null;
    // What was posted and has changed since is said once more, where nothing that was said can be changed.
    const isSaidAgain = known !== null && known === errand.message && !mayEdit;
    const own = keyIn(errand, thread);
    const key = isSaidAgain ? v5(String(errand.revision), own) : own;
    const post = { text, key, ...(buttons === undefined ? {} : { buttons }) };
    if (known !== null && !isSaidAgain) {
      if (mayEdit) await this.call((signal) => control.edit(thread, known, post, connection, signal));
      return known;
    }
    const put = isApproval && control.requestApproval ? control.requestApproval.bind(control) : control.post.bind(control);
    return (await this.call((signal) => put(thread, post, connection, signal))).message;
  }

  /** The message that stands in this very thread already; null: none does. */
  private async find(errand: ErrandRow, thread: ControlThread, { control, connection }: Channel): Promise<string | null> {
    if (errand.message !== null && errand.thread === thread.id) return errand.message;
    if (errand.state !== 'looking') return null;
    return this.call((signal) => control.findMarker(thread, keyIn(errand, thread), connection, signal));
  }

  private async ensure({ conversation }: ErrandRow): Promise<Result> {
    const place = await this.threads.ready(conversation ?? '', this.call, true);
    return place === null ? { how: 'dropped', why: 'its conversation has ended without a thread, or is shown nowhere' } : DONE;
  }

  private async archive(errand: ErrandRow): Promise<Result> {
    const { ending, thread: left } = bodyOf<'archive'>(errand);
    if (left !== undefined) {
      const { control, connection } = this.channelOf(errand);
      await this.call((signal) => control.archive(left, connection, signal));
      return DONE;
    }
    const { binding, isEnd } = await this.readEnd(errand, ending);
    if (binding === null || !isEnd) return { how: 'dropped', why: 'the conversation was opened again, or has ended anew' };
    const thread = threadOf(binding);
    const { control, connection } = this.channelOf(binding);
    if (thread !== null) await this.call((signal) => control.archive(thread, connection, signal));
    return DONE;
  }

  private readEnd({ conversation }: ErrandRow, ending: number | null): Promise<{ binding: Binding | null; isEnd: boolean }> {
    return this.database.transaction(async (tx) => {
      const now = await readEnding(tx, conversation ?? '');
      const isEnd = now?.state === 'terminal' && (ending === null || now.ending === ending);
      return { binding: await readBinding(tx, conversation ?? ''), isEnd };
    });
  }

  /** Its thread is verified when there is something to show. */
  private async unarchive({ conversation }: ErrandRow): Promise<Result> {
    const binding = await this.database.transaction((tx) => readBinding(tx, conversation ?? ''));
    if (binding === null || binding.state === 'closed') return { how: 'dropped', why: 'the conversation has ended again' };
    const thread = threadOf(binding);
    const { control, connection } = this.channelOf(binding);
    if (thread !== null) await this.call((signal) => control.unarchive(thread, connection, signal));
    return DONE;
  }

  private async acknowledge(errand: ErrandRow): Promise<Result> {
    const { control, connection } = this.channelOf(errand);
    await this.call(async (signal) => control.acknowledge?.(bodyOf<'acknowledge'>(errand), connection, signal));
    return DONE;
  }

  private async answer(errand: ErrandRow): Promise<Result> {
    const { control, connection } = this.channelOf(errand);
    const { handle, text } = bodyOf<'answer'>(errand);
    await this.call(async (signal) => control.answer?.(handle, text, connection, signal));
    return DONE;
  }

  private channelOf({ org, connection }: { readonly org: string; readonly connection: string }): Channel {
    const channel = this.channels.channel(org, connection);
    if (channel !== null) return channel;
    throw new ChannelFault('unavailable', `the connection ${connection} is not in the configuration, or its plugin has no threads`);
  }
}

/** Another one in each thread: a provider that knows the key would take what is said in a new thread for what was said in the one before. */
function keyIn({ key }: ErrandRow, { id }: ControlThread): string {
  return v5(id, key);
}

export function bodyOf<Kind extends ErrandKind>({ body }: ErrandRow): ErrandBodies[Kind] {
  return JSON.parse(body) as ErrandBodies[Kind];
}
