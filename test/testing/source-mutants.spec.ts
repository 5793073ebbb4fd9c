import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { Backfill, PollTransport, ProviderEvent, ReadTool, StreamTransport, Transport } from 'throughline/plugin';
import type { ProviderSamples, Stage } from 'throughline/testing';
import tickets, { CommentInput, type TicketsConnection } from '../fakes/tickets/index.js';
import { samples } from '../fakes/tickets/samples.js';
import { but, failuresOf, mutant } from './mutants.js';

type Stream = StreamTransport<TicketsConnection>;
type Poll = PollTransport<TicketsConnection>;
type History = Backfill<TicketsConnection>;

/** What happened since a stage was set, and who is told of it at once. */
interface World {
  readonly happened: ProviderEvent[];
  unheard: readonly ProviderEvent[];
  listen: (() => void) | null;
}

let world: World = { happened: [], unheard: [], listen: null };

function happen(_stage: Stage, number: number): void {
  const updated = new Date(Date.UTC(2026, 0, 1, 10, number)).toISOString();
  const ticket = { id: 7, title: 'It is slow', state: 'open', updated };
  const comment = { id: `c${number}`, text: 'still', updated };
  const payload = { tenant: 'acme', action: 'commented', user: { id: 1, name: 'ada', bot: false }, ticket, comment };
  const event = { deliveryId: `e-${number}`, eventKey: 'ticket.commented', payload };
  world.happened.push(event);
  world.unheard = [...world.unheard, event];
  world.listen?.();
}

const stage: NonNullable<ProviderSamples['stage']> = async () => {
  world = { happened: [], unheard: [], listen: null };
  return (await samples.stage?.()) ?? { options: {}, close: async () => undefined };
};

/** Tells of one event after the other; one that is not stored ends it, and stays to be told again. */
const stream: Stream = {
  kind: 'stream',
  open: async (_connection, sink, signal) => {
    const mine = world;
    if (signal.aborted) return;
    sink.connected();
    while (!signal.aborted) {
      const [event, ...rest] = mine.unheard;
      if (event === undefined) await nextOf(signal, mine);
      else {
        await sink.accept(event);
        mine.unheard = rest.concat(mine.unheard.slice(rest.length + 1));
      }
    }
  },
};

function nextOf(signal: AbortSignal, at = world): Promise<void> {
  return new Promise((resolve) => {
    at.listen = resolve;
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

const never = () => new Promise<never>(() => undefined);

const poll: Poll = {
  kind: 'poll',
  poll: async (_connection, cursor) => ({
    events: world.happened.slice(Number(cursor ?? world.happened.length)),
    cursor: String(world.happened.length),
  }),
};

const backfill: History = {
  since: async (_connection, _mark, sink, _signal, { saved, save }) => {
    for (const [index, event] of world.happened.entries()) {
      if (index < Number(saved ?? 0)) continue;
      await sink.accept(event);
      await save(String(index + 1));
    }
  },
};

const read: ReadTool<TicketsConnection, CommentInput> = {
  ...{ name: 'ticket_read', description: 'Reads the ticket.', input: CommentInput },
  read: async () => ({ title: 'It is slow' }),
};

const patient = { ...samples, stage, patienceMs: 300, writes: [] } as unknown as ProviderSamples;
const withoutTools = () => ({ tools: [] });
const withTransport = (transport: Transport<TicketsConnection>) =>
  mutant(tickets, ({ transports }) => ({ ...withoutTools(), transports: [...transports, transport] }), {
    receives: ['webhook', transport.kind],
  });
const streaming = { ...patient, stream: { happen, isAcknowledged: true } };
const polling = { ...patient, poll: { happen } };
const historic = { ...patient, backfill: { happen } };
const reading = { ...patient, reads: [{ tool: 'ticket_read', input: { text: 'x' }, subject: { namespace: 'n', key: 'k' } }] };
const withHistory = (change: Partial<History>) => mutant(tickets, () => ({ ...withoutTools(), backfill: but(backfill, change) }));
const withRead = (change: Partial<typeof read>) => mutant(tickets, () => ({ ...withoutTools(), reads: [but(read, change)] }));

const RETOLD = 'poll: reads the same page again from the same cursor';
const ONCE = 'poll: tells each thing that happened once, under an id of its own';
const TOLD = 'stream: tells what happens, in its order, each under an id of its own';
const STREAM_ENDS = 'stream: ends when it is told to, before and after it stands';
const UNSTORED = 'stream: acknowledges nothing that was not stored';
const MISSED = 'backfill: tells what was missed, oldest first, each under the same id however often it is asked';
const FAILED = 'backfill: says that it failed where an event was not stored, and misses none when it goes on';
const anew = (event: ProviderEvent) => ({ ...event, deliveryId: randomUUID() });

const STREAMS: readonly [what: string, change: Partial<Stream>, fails: readonly string[]][] = [
  [
    'goes on although it was told to end before it stood',
    {
      open: async (connection, sink, signal) => (signal.aborted ? never() : stream.open(connection, sink, signal)),
    },
    [STREAM_ENDS],
  ],
  [
    'goes on for ever once it stands',
    {
      open: async (connection, sink, signal) => {
        if (!signal.aborted) await stream.open(connection, sink, new AbortController().signal);
      },
    },
    [STREAM_ENDS, TOLD, UNSTORED],
  ],
  [
    'never says that it stands',
    { open: (connection, sink, signal) => stream.open(connection, but(sink, { connected: () => undefined }), signal) },
    [STREAM_ENDS, TOLD, UNSTORED],
  ],
  [
    'gives all events one id',
    {
      open: (connection, sink, signal) =>
        stream.open(connection, but(sink, { accept: (event) => sink.accept({ ...event, deliveryId: 'e' }) }), signal),
    },
    [TOLD],
  ],
  [
    'tells what its own parser does not know',
    {
      open: (connection, sink, signal) =>
        stream.open(connection, but(sink, { accept: (event) => sink.accept({ ...event, payload: {} }) }), signal),
    },
    [TOLD],
  ],
  [
    'acknowledges what was not stored',
    {
      open: (connection, sink, signal) => {
        const stored = { duplicate: false, receipt: '1', disposition: 'routed' };
        return stream.open(connection, but(sink, { accept: (event) => sink.accept(event).catch(() => stored) }), signal);
      },
    },
    [UNSTORED],
  ],
];

const POLLS: readonly [what: string, change: Partial<Poll>, fails: readonly string[]][] = [
  ['makes up ids', { poll: async (...given) => ({ ...(await poll.poll(...given)), events: world.happened.map(anew) }) }, [RETOLD]],
  ['keeps in memory what it has told', { poll: async () => ({ events: world.happened.splice(0), cursor: '0' }) }, [RETOLD]],
  ['does not move on', { poll: async () => ({ events: [...world.happened], cursor: '0' }) }, [ONCE]],
  ['skips what came first', { poll: async (...given) => ({ ...(await poll.poll(...given)), events: world.happened.slice(1) }) }, [ONCE]],
  ['never answers', { poll: () => never() }, [ONCE, RETOLD, 'poll: ends when it is told to']],
];

const HISTORIES: readonly [what: string, change: Partial<History>, fails: readonly string[]][] = [
  [
    'makes up ids',
    {
      since: (connection, mark, sink, signal, progress) =>
        backfill.since(connection, mark, { accept: (event) => sink.accept(anew(event)) }, signal, progress),
    },
    [MISSED, FAILED],
  ],
  [
    'tells the newest first',
    {
      since: async (_connection, _mark, sink) => {
        for (const event of world.happened.toReversed()) await sink.accept(event);
      },
    },
    [MISSED],
  ],
  [
    'goes on after an event that was not stored',
    {
      since: async (_connection, _mark, sink) => {
        for (const event of world.happened) await sink.accept(event).catch(() => undefined);
      },
    },
    [FAILED],
  ],
  [
    'saves how far it is before it is there',
    {
      since: async (connection, mark, sink, signal, progress) => {
        if (progress.saved === null) await progress.save('3');
        await backfill.since(connection, mark, sink, signal, { ...progress, save: async () => undefined });
      },
    },
    [FAILED],
  ],
  ['does not end', { since: () => never() }, [MISSED, FAILED, 'backfill: ends when it is told to']],
];

const READS: readonly [what: string, change: Partial<typeof read>][] = [
  ['reads what JSON does not keep', { read: async () => ({ at: new Date(0) }) }],
  ['changes what it reads', { read: async () => ({ seen: randomUUID() }) }],
];

describe('a plugin with', () => {
  it.each([
    ['a stream', withTransport(stream), streaming],
    ['a poller', withTransport(poll), polling],
    ['a history', withHistory({}), historic],
    ['a tool that reads', withRead({}), reading],
  ] as const)(
    '%s that does what the host relies on passes every check, and is not passed over without samples',
    async (_what, plugin, given) => {
      expect(await failuresOf(plugin, given)).toEqual([]);
      expect(await failuresOf(plugin, patient)).toEqual(['plugin: has samples of everything that it has']);
    },
  );

  it.each(STREAMS)('a stream that %s fails the checks that are about it', async (_what, change, fails) => {
    expect(await failuresOf(withTransport(but(stream, change)), streaming)).toEqual(fails);
  });

  it.each(POLLS)('a poller that %s fails the checks that are about it', async (_what, change, fails) => {
    expect(await failuresOf(withTransport(but(poll, change)), polling)).toEqual(fails);
  });

  it.each(HISTORIES)('a history that %s fails the checks that are about it', async (_what, change, fails) => {
    expect(await failuresOf(withHistory(change), historic)).toEqual(fails);
  });

  it.each(READS)('a tool that %s fails the check that is about it', async (_what, change) => {
    expect(await failuresOf(withRead(change), reading)).toEqual([
      'reads: ticket_read reads JSON for the agent, and changes nothing that it reads',
    ]);
  });
});
