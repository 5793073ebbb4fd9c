import type { ProviderSamples, SampleEvent, Stage } from 'throughline/testing';
import { providerEvent, type Role } from '../../../plugins/matrix/room-events.js';
import { ADA, BOB, Homeserver } from '../../fakes/matrix/homeserver.js';
import { type RoomEvent, World } from '../../fakes/matrix/world.js';
import { SALES, SUPPORT } from '../../plugins/matrix/matrix.rooms.js';

const ROOMS = { support: { id: SUPPORT, title: 'Support' }, sales: { id: SALES } };
/** The connection of the checks is named so. */
const SUBJECT = { namespace: `matrix:${ADA}:sample:support:room`, key: SUPPORT };
const NEW_ROOM = '!new:example.org';

interface MatrixStage extends Stage {
  readonly server: Homeserver;
}

const world = new World();
for (const room of [SUPPORT, SALES]) world.addRoom(room);
const said = world.say(SUPPORT, 'it is slow');

/** An event of a room as the poller hands it over. */
function event(
  name: string,
  kind: SampleEvent['kind'],
  about: string | null,
  [role, told, room = 'support']: readonly [NonNullable<Role>, RoomEvent, (keyof typeof ROOMS)?],
): SampleEvent {
  const place = { room, roomId: ROOMS[room].id, author: 'Bob', ...(role === 'edit' && { originalSender: BOB }) };
  const { eventKey, payload } = providerEvent(role, told, place);
  return { name, eventKey, payload, kind, about };
}

function happen({ server }: MatrixStage, number: number): void {
  server.world.say(SUPPORT, `message ${number}`);
}

const isWrite = ({ method }: { method: string }) => method === 'PUT';

export const matrixSamples: ProviderSamples<MatrixStage> = {
  options: { apiUrl: 'http://127.0.0.1:9', user: ADA, token: 'token', rooms: ROOMS, bot: true },
  events: [
    event('a message', 'prompt', 'the support room', ['message', said]),
    event('an edit of it', 'edit', 'the support room', ['edit', world.edit(SUPPORT, said, 'it is very slow')]),
    event('a message that was removed', 'withdrawal', 'the support room', ['redaction', world.redact(SUPPORT, said.event_id, BOB)]),
    event('a message in another room', 'prompt', 'the sales room', ['message', world.say(SALES, 'hello'), 'sales']),
    event('an upgrade', 'recorded', 'the support room', ['tombstone', world.upgrade(SUPPORT, NEW_ROOM)]),
  ],
  stage: async () => {
    const server = await Homeserver.start();
    for (const room of [SUPPORT, SALES]) server.world.addRoom(room);
    return {
      ...{
        server,
        options: { apiUrl: server.url, user: ADA, token: server.tokenFor(), rooms: ROOMS, bot: true },
        close: () => server.close(),
      },
      loseAnswer: () => server.once(isWrite, 'drop'),
      refuse: () => server.once(isWrite, { status: 403, body: { errcode: 'M_FORBIDDEN', error: 'no' } }),
    };
  },
  poll: { happen },
  // What the account itself says is not read.
  control: { parent: SALES, subject: SUBJECT, threadPerConversation: true, callback: () => null },
  writes: [{ tool: 'matrix_route_send', input: { body: 'Looking' }, subject: SUBJECT, callback: () => null }],
  reads: [{ tool: 'matrix_route_read', input: { limit: 5 }, subject: SUBJECT }],
};
