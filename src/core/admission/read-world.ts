import { inChunks, type Tx } from '../../database/tx.js';
import { conversationsAbout, readConversations } from '../conversations/conversations.js';
import { deliveredTo, findMessages } from '../deliveries/deliveries.js';
import type { Queue } from '../deliveries/queue.js';
import { lockQueues } from '../deliveries/queues.js';
import { lockSubjects, type SubjectKey, subjectText } from '../subjects/subjects.js';
import type { Admission, Fresh } from './plan-admission.js';
import { type Locked, World } from './world.js';

/** Locks and reads, in a constant number of statements, all that deciding these admissions may touch. */
export async function readWorld(tx: Tx, fresh: readonly Fresh[], now: number): Promise<World> {
  const admissions = fresh.map(({ admission }) => admission);
  const subjects = await lockSubjects(tx, distinct(admissions.flatMap(subjectsOf)));
  const linked = await conversationsAbout(
    tx,
    distinct(admissions.flatMap((a) => (a.observation && a.subject ? [{ ...a.subject, org: a.event.org }] : []))),
  );
  const ids = [
    ...new Set([...linked.map(({ id }) => id), ...admissions.flatMap(({ matches }) => matches.map(({ conversation }) => conversation.id))]),
  ];
  const about = Map.groupBy(linked, subjectText);
  const world = new World(
    now,
    new Map(subjects.map((row) => [subjectText(row), row])),
    await lockConversations(tx, ids),
    new Map([...about].map(([subject, rows]) => [subject, rows.map(({ id }) => id)])),
  );
  await readMessages(tx, world, fresh);
  return world;
}

/** The queue rows are the locks; what else belongs to the conversations is read after them, as it then is. */
async function lockConversations(tx: Tx, ids: readonly string[]): Promise<Map<string, Locked>> {
  const queues = new Map<string, Queue>();
  for (const part of inChunks([...ids].sort(), 1)) for (const [id, queue] of await lockQueues(tx, part)) queues.set(id, queue);
  const rows = await readConversations(tx, [...queues.keys()]);
  return new Map(
    rows.flatMap((row): [string, Locked][] => {
      const queue = queues.get(row.id);
      return queue
        ? [[row.id, { row, queue, isNew: false, title: null, url: null, retireUpTo: null, hasNewLife: false, isTouched: false }]]
        : [];
    }),
  );
}

async function readMessages(tx: Tx, world: World, fresh: readonly Fresh[]): Promise<void> {
  const keyed = fresh.filter(({ admission }) => admission.messageKey !== null);
  const conversations = new Set(keyed.flatMap(({ admission }) => admission.matches.map(({ conversation }) => conversation.id)));
  const known = [...conversations].filter((id) => world.conversations.has(id));
  const keys = new Set(keyed.flatMap(({ admission }) => admission.messageKey ?? []));
  for (const message of await findMessages(tx, known, [...keys]))
    world.rememberMessage(message.conversation, message.message_key, {
      sequence: message.sequence,
      isPending: message.state !== 'completed',
      isWaking: message.waking === 1,
    });
  const replays = fresh.filter(({ admission }) => admission.replayOf !== null);
  for (const { receipt, conversation } of await deliveredTo(
    tx,
    replays.map(({ receipt }) => receipt),
  ))
    world.rememberDelivered(receipt, conversation);
}

/** Whoever makes a conversation holds its subject, so that no end of the subject passes it by. */
function subjectsOf({ subject, observation, matches, event: { org } }: Admission): SubjectKey[] {
  const ofMatches = matches.flatMap(({ conversation: c, workspace }) =>
    workspace === null || c.scope === 'run' ? [] : [{ org, namespace: c.namespace, key: c.key }],
  );
  return subject && observation ? [{ ...subject, org }, ...ofMatches] : ofMatches;
}

function distinct(subjects: readonly SubjectKey[]): SubjectKey[] {
  return [...new Map(subjects.map(({ org, namespace, key }) => [subjectText({ org, namespace, key }), { org, namespace, key }])).values()];
}
