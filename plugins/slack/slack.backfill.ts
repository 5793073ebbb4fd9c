import {
  type Backfill,
  type BackfillProgress,
  ChannelFault,
  ConfigFault,
  type Connection,
  type EventSink,
  ProviderFault,
} from 'throughline/plugin';
import { happeningsIn, instantAt } from './history.js';
import { eventsOf } from './history-events.js';
import { type Channel, channelsOf, type Installation, readInstallation } from './installation.js';
import { ReadChannels } from './read-channels.js';
import { answeredName } from './slack.faults.js';
import type { SlackConnection } from './slack.options.js';
import { type Ask, patientAsk } from './slack.reading.js';

/** The clocks of Slack and of the database need not agree; what comes twice is taken once. */
const CLOCKS_APART_MS = 60_000;

/** After so many messages of one channel it is written down how far it was read. */
const SAVE_AFTER = 100;

/** A channel that says so has nothing for the bot (any more). */
const CLOSED: ReadonlySet<string | undefined> = new Set(['channel_not_found', 'not_in_channel', 'is_archived', 'ekm_access_denied']);

/** Asks every channel that the bot is in for its messages. Deletions, presses and commands have no history. */
export class SlackBackfill implements Backfill<SlackConnection> {
  usedBy({ options }: Connection<SlackConnection>): boolean {
    return options.token !== undefined;
  }

  async since(
    connection: Connection<SlackConnection>,
    mark: Date,
    sink: EventSink,
    signal: AbortSignal,
    progress: BackfillProgress,
  ): Promise<void> {
    const ask = patientAsk(connection, signal);
    try {
      const installation = await readInstallation(ask);
      const channels = await channelsOf(ask, installation);
      const reading = { ask, installation, connection, sink, progress };
      await readAll(reading, channels, instantAt(mark.getTime() - CLOCKS_APART_MS));
    } catch (error) {
      throw error instanceof ChannelFault ? faultOf(error) : error;
    }
  }
}

interface Reading {
  readonly ask: Ask;
  readonly installation: Installation;
  readonly connection: Connection<SlackConnection>;
  readonly sink: EventSink;
  readonly progress: BackfillProgress;
}

/** One channel after the other; those first that were not read when it was left. */
async function readAll(reading: Reading, channels: readonly Channel[], mark: string): Promise<void> {
  const read = ReadChannels.from(reading.progress.saved);
  for (const channel of read.inOrder(channels)) {
    const after = read.upTo(channel) ?? mark;
    read.note(channel, after);
    await readChannel(reading, channel, after, read);
    await reading.progress.save(read.toString());
  }
}

async function readChannel(reading: Reading, channel: Channel, after: string, read: ReadChannels): Promise<void> {
  const { ask, installation, connection, sink, progress } = reading;
  let unsaved = 0;
  for (const happening of await openOnly(happeningsIn(ask, channel, after))) {
    for (const event of eventsOf(happening, channel, installation, connection.options)) await sink.accept(event);
    read.note(channel, happening.at);
    if (++unsaved % SAVE_AFTER === 0) await progress.save(read.toString());
  }
}

async function openOnly<Item>(reading: Promise<Item[]>): Promise<Item[]> {
  return reading.catch((error: unknown) => {
    if (CLOSED.has(answeredName(error))) return [];
    throw error;
  });
}

function faultOf(error: ChannelFault): Error {
  if (error.state === 'forbidden') return new ConfigFault(error.message, { cause: error });
  return new ProviderFault(error.message, 'transient', error.retryAfterMs, { cause: error });
}
