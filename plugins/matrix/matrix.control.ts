import { randomUUID } from 'node:crypto';
import {
  type Acknowledged,
  ChannelFault,
  type Connection,
  type ControlChannel,
  type ControlLimits,
  type ControlPost,
  type ControlThread,
  type WantedThread,
  word,
} from 'throughline/plugin';
import { type Ciphers, NO_CIPHERS } from './cipher.js';
import type { Clients } from './clients.js';
import { type About, faultOfChannel, MatrixFailure } from './failure.js';
import { transactionOf } from './marker.js';
import { pathOf } from './matrix.api.js';
import type { MatrixConnection } from './matrix.options.js';
import { edited, inThread, LONGEST_TEXT, note } from './message-body.js';
import { findByKey } from './own-messages.js';
import { partsOf, urlOf } from './place.js';
import { type Desk, deskOf, postMessage } from './post-room.js';
import { findRoot, postRoot, readRoot } from './thread-root.js';
import { presentRoom } from './upgrade.js';

type At = Connection<MatrixConnection>;

const DAY_MS = 24 * 3_600_000;

/** Threads in a room, which a bot's account keeps. */
export class MatrixControl implements ControlChannel<MatrixConnection> {
  readonly limits: ControlLimits = { title: 100, text: LONGEST_TEXT, editMs: 1_500 };

  constructor(
    private readonly clients: Clients,
    private readonly ciphers: Ciphers = NO_CIPHERS,
  ) {}

  missing({ name, options }: At): string | null {
    if (options.bot) return null;
    return `connections.${name} is the account of a person: threads need an account of their own, with \`bot: true\``;
  }

  async ensureThread(wanted: WantedThread, connection: At, signal: AbortSignal): Promise<ControlThread> {
    const { parent, known, title } = wanted;
    return this.asking(connection, signal, 'thread', async (desk) => {
      checkParent(parent, connection);
      const { user } = connection.options;
      const search = { ...desk, user, signal, room: await presentRoom(desk.ask, parent, user, signal), sinceMs: Date.now() - DAY_MS };
      const root =
        (known?.parent === parent ? await readRoot(search, known.id) : null) ??
        (await findRoot(search, wanted)) ??
        (await postRoot(desk, search.room, wanted, signal));
      return { parent, id: `${search.room}/${root.id}`, title: root.title ?? title, url: urlOf(search.room, root.id) };
    });
  }

  /** Matrix has no closed threads. */
  async archive(): Promise<void> {}

  async unarchive(): Promise<void> {}

  /** The title is the message that the thread hangs on. */
  async rename(thread: ControlThread, title: string, connection: At, signal: AbortSignal): Promise<void> {
    return this.asking(connection, signal, 'thread', async (desk) => {
      const { room, event } = placeOf(thread);
      await postMessage(desk, room, edited(event, note(title)), transactionOf('edit', randomUUID()), signal);
    });
  }

  async post(thread: ControlThread, post: ControlPost, connection: At, signal: AbortSignal): Promise<{ readonly message: string }> {
    return this.asking(connection, signal, 'thread', async (desk) => {
      const { room, event } = placeOf(thread);
      return { message: await postMessage(desk, room, inThread(event, post), transactionOf('post', post.key), signal) };
    });
  }

  /** The same words twice are two edits, of which the second changes nothing. */
  async edit(thread: ControlThread, message: string, post: ControlPost, connection: At, signal: AbortSignal): Promise<void> {
    return this.asking(connection, signal, 'message', async (desk) => {
      const { room, event } = placeOf(thread);
      await postMessage(desk, room, edited(message, inThread(event, post)), transactionOf('edit', randomUUID()), signal);
    });
  }

  /** An eye on the message. In the rooms of a person's account nothing is shown: people there have not asked for it. */
  async acknowledge({ message: key }: Acknowledged, connection: At, signal: AbortSignal): Promise<void> {
    const place = partsOf(key);
    if (place === undefined) throw new ChannelFault('refused', `${key} is no message of Matrix`);
    if (!connection.options.bot) return;
    const path = pathOf('rooms', place.room, 'send', 'm.reaction', transactionOf('eyes', place.event));
    const body = { 'm.relates_to': { rel_type: 'm.annotation', event_id: place.event, key: '👀' } };
    await this.asking(connection, signal, 'message', async ({ ask }) => {
      await ask({ method: 'PUT', path, body, signal }).catch((error: unknown) => {
        if (!isEnough(error)) throw error;
      });
    });
  }

  async findMarker(thread: ControlThread, key: string, connection: At, signal: AbortSignal): Promise<string | null> {
    return this.asking(connection, signal, 'thread', async (desk) => {
      const { user } = connection.options;
      const search = { ...desk, user, signal, room: placeOf(thread).room, sinceMs: Date.now() - DAY_MS };
      return word((await findByKey(search, key, transactionOf('post', key)))?.event_id) ?? null;
    });
  }

  /** Everything that goes wrong leaves as what the contract knows. */
  private async asking<Result>(connection: At, signal: AbortSignal, about: About, work: (desk: Desk) => Promise<Result>): Promise<Result> {
    const missing = this.missing(connection);
    if (missing !== null) throw new ChannelFault('forbidden', missing);
    try {
      return await work(await deskOf(this.clients, this.ciphers, connection, signal));
    } catch (error) {
      throw faultOfChannel(error, about);
    }
  }
}

/** What people answer is read only in rooms that are configured. */
function checkParent(parent: string, { name, options }: At): void {
  if ([...options.rooms.values()].some(({ id }) => id === parent)) return;
  throw new ChannelFault('parent_gone', `${parent} is not among connections.${name}.rooms, so nobody would read what is answered there`);
}

function placeOf({ id }: ControlThread): { readonly room: string; readonly event: string } {
  const place = partsOf(id);
  if (place === undefined) throw new ChannelFault('thread_gone', `${id} is no thread of Matrix; a new one is made`);
  return place;
}

/** Given before, or the message is gone: it needs no sign any more. */
function isEnough(error: unknown): boolean {
  const code = error instanceof MatrixFailure && error.kind === 'refused' ? error.details.code : undefined;
  return code === 'M_DUPLICATE_ANNOTATION' || code === 'M_NOT_FOUND';
}
