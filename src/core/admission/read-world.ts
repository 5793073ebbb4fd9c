import type { Tx } from '../../database/tx.js';
import type { Parsed } from '../../plugin/index.js';
import { conversationsAbout, readConversations } from '../conversations/conversations.js';
import { countClaimed, deliveredTo, findMessages, type KnownMessage, openPrefixes } from '../deliveries/deliveries.js';
import { isClaimed, type Queue } from '../deliveries/queue.js';
import { lockQueues } from '../deliveries/queues.js';
import { findMessageChanges, type MessagePlace } from '../message-changes/message-changes.js';
import { Aliases } from '../subjects/aliases.js';
import { lockSubjects, type SubjectKey, type SubjectRow, subjectText } from '../subjects/subjects.js';
import { type Locked, type Message, unchanged } from './locked.js';
import type { Admission, Fresh } from './plan-admission.js';
import { planChange } from './plan-change.js';
import { storedEvent } from './stored-event.js';
import { placedMatch, World } from './world.js';

/** Locks, in a constant number of statements, all that deciding these admissions may touch, and the queues of `also`. */
export function lockWorld(tx: Tx, fresh: readonly Fresh[], also: readonly string[], now: number): Promise<World> {
  const admissions = fresh.map(({ admission }) => admission);
  const conversations = (aliases: Aliases) => [...admissions.flatMap((admission) => namedBy(admission, aliases)), ...also];
  return lockReach(tx, { subjects: admissions.flatMap(subjectsOf), watched: admissions.flatMap(watchedBy), conversations }, now);
}

export interface Reach {
  /** Subjects whose lives are read or change, and those of them all of whose conversations are concerned. */
  readonly subjects: readonly SubjectKey[];
  readonly watched: readonly SubjectKey[];
  readonly conversations: (aliases: Aliases) => readonly string[];
}

export async function lockReach(tx: Tx, { subjects, watched, conversations }: Reach, now: number): Promise<World> {
  const locked = await lockWithTargets(tx, distinct(subjects));
  const aliases = new Aliases(locked);
  const linked = await conversationsAbout(tx, distinct([...watched, ...watched.map((subject) => aliases.canonical(subject))]));
  const ids = new Set([...linked.map(({ id }) => id), ...conversations(aliases)]);
  const about = Map.groupBy(linked, subjectText);
  const world = new World(
    now,
    new Map(locked.map((row) => [subjectText(row), row])),
    aliases,
    await lockConversations(tx, [...ids]),
    new Map([...about].map(([subject, rows]) => [subject, rows.map(({ id }) => id)])),
  );
  for (const row of locked) if (row.early_changes === 1) world.early.expect(row);
  return world;
}

/** What aliases are bound to is locked after them; should two transactions meet there, the database lets one of them begin again. */
async function lockWithTargets(tx: Tx, keys: readonly SubjectKey[]): Promise<SubjectRow[]> {
  const rows = await lockSubjects(tx, keys);
  const known = new Set(rows.map(subjectText));
  const targets = rows.flatMap(({ org, alias_namespace: namespace, alias_key: key }) =>
    namespace === null || key === null ? [] : [{ org, namespace, key }],
  );
  return [...rows, ...(await lockSubjects(tx, distinct(targets.filter((target) => !known.has(subjectText(target))))))];
}

/** The subjects all of whose conversations the event may touch. */
function watchedBy({ subject, observation, change, move, event: { org } }: Admission): SubjectKey[] {
  const own = (observation || change) && subject ? [subject] : [];
  return [...own, ...(move ? [move.from, move.to] : [])].map((each) => ({ ...each, org }));
}

/** The conversations that its routes name, with and without their aliases: what moves a subject may stand before it in the same group. */
function namedBy({ matches, change, event: { org } }: Admission, aliases: Aliases): string[] {
  const ids = matches.flatMap((match) => [match.conversation.id, placedMatch(aliases, match, org).conversation.id]);
  return [...ids, ...(change?.conversations ?? [])];
}

/** What the turns work on that a message may interrupt. */
export async function readClaims(tx: Tx, world: World, fresh: readonly Fresh[]): Promise<void> {
  const interrupts = fresh.some(({ admission: { matches } }) => matches.some(({ whileBusy }) => whileBusy === 'interrupt'));
  if (!interrupts) return;
  const busy = [...world.conversations.values()].flatMap(({ queue: { conversation, owner, claimFrom, claimTo } }) =>
    owner === null ? [] : [{ conversation, from: claimFrom ?? 0, to: claimTo ?? 0 }],
  );
  for (const { conversation, count, waking } of await countClaimed(tx, busy))
    Object.assign(world.conversations.get(conversation)?.claimed ?? {}, { count, waking });
}

/** The queue rows are the locks; what else belongs to the conversations is read after them, as it then is. */
export async function lockConversations(tx: Tx, ids: readonly string[]): Promise<Map<string, Locked>> {
  const [queues, rows] = await Promise.all([lockQueues(tx, [...ids].sort()), readConversations(tx, ids)]);
  return new Map(
    rows.flatMap((row): [string, Locked][] => {
      const queue = queues.get(row.id);
      return queue ? [[row.id, { row, queue, isNew: false, title: null, url: null, ...unchanged() }]] : [];
    }),
  );
}

/** What these conversations already have of the messages and receipts, under their locks. */
export async function readMessages(tx: Tx, world: World, fresh: readonly Fresh[]): Promise<void> {
  const places = fresh.flatMap(({ admission }) => {
    const messageKey = keyOf(admission);
    const ids = messageKey === null ? [] : conversationsOf(world, admission).filter((id) => world.conversations.has(id));
    return ids.map((conversation) => ({ conversation, messageKey: messageKey ?? '' }));
  });
  const found = await findMessages(tx, places);
  const waiting = found.filter(({ state }) => state !== 'completed').map(({ conversation }) => conversation);
  const heads = new Map((await openPrefixes(tx, [...new Set(waiting)], 1)).map((head) => [head.conversation, head.sequence]));
  for (const each of found) {
    const queue = world.conversations.get(each.conversation)?.queue;
    if (queue) world.rememberMessage(each.conversation, each.message_key, messageOf(each, queue, heads.get(each.conversation)));
  }
  const replays = fresh.filter(({ admission }) => admission.replayOf !== null);
  for (const { receipt, conversation } of await deliveredTo(
    tx,
    replays.map(({ receipt }) => receipt),
  ))
    world.rememberDelivered(receipt, conversation);
}

/** What is known of these messages from before they came. Of hardly any subject there is anything. */
export async function readEarlyChanges(tx: Tx, world: World, fresh: readonly Fresh[]): Promise<void> {
  const places = fresh.flatMap(({ admission }) => placeOf(admission) ?? []).filter((place) => world.early.mayHave(place));
  if (places.length === 0) return;
  const routes = fresh[0]?.admission.routes ?? [];
  const listeners = [...new Set(fresh.flatMap(({ admission }) => admission.listeners))];
  for (const receipt of await findMessageChanges(tx, places)) {
    const event = storedEvent(receipt, false);
    // A route that has words of its own for a message takes them from the payload; where that is gone, the plugin's do.
    const change = event.payload === null ? planChange(event, []) : planChange(event, routes, listeners);
    if (change !== null) world.early.remember(receipt, { change, receipt: receipt.id });
  }
}

function placeOf(admission: Admission): MessagePlace | null {
  const { subject, event } = admission;
  const messageKey = keyOf(admission);
  return subject === null || messageKey === null ? null : { ...subject, org: event.org, messageKey };
}

function keyOf({ change, messageKey }: Admission): string | null {
  return change?.messageKey ?? messageKey;
}

function conversationsOf(world: World, admission: Admission): string[] {
  const { subject, change, event } = admission;
  if (change === null) return world.placed(admission).matches.map(({ conversation }) => conversation.id);
  const about = subject === null ? [] : world.conversationsAbout({ ...subject, org: event.org });
  return [...about.map(({ row }) => row.id), ...change.conversations];
}

function messageOf(known: KnownMessage, queue: Queue, head: number | undefined): Message {
  const { sequence, outcome, route, trust, text, parsed } = known;
  return {
    ...{ sequence, outcome, route, trust, textRevision: known.text_revision, waking: known.waking === 1 },
    state: known.state === 'completed' ? 'completed' : isClaimed(queue, sequence) ? 'claimed' : 'waiting',
    isHead: sequence === head,
    text: text ?? ownText(parsed),
  };
}

function ownText(stored: string | null): string {
  const parsed = stored === null ? null : (JSON.parse(stored) as Parsed);
  return parsed !== null && 'text' in parsed ? parsed.text : '';
}

/** Whoever makes a conversation holds its subject, so that no end of the subject passes it by; an alias is bound under the same lock. */
function subjectsOf(admission: Admission): SubjectKey[] {
  const { org } = admission.event;
  const ofMatches = admission.matches.flatMap(({ scope, about }) => (scope === null ? [] : [{ ...about, org }]));
  // A change of the message may be known from before: it is by the plugin's own subject.
  const own = admission.subject !== null && admission.messageKey !== null && ofMatches.length > 0 ? [{ ...admission.subject, org }] : [];
  return [...watchedBy(admission), ...own, ...ofMatches];
}

function distinct(subjects: readonly SubjectKey[]): SubjectKey[] {
  return [...new Map(subjects.map(({ org, namespace, key }) => [subjectText({ org, namespace, key }), { org, namespace, key }])).values()];
}
