import type { Tx } from '../../database/tx.js';
import { mirrorReopenings } from '../controls/mirror-life.js';
import { insertConversations, saveLifetime, taint } from '../conversations/conversations.js';
import { insertNotes } from '../conversations/notes.js';
import {
  amendDelivery,
  becomeLifecycle,
  completeClaimed,
  forgetMessage,
  insertDeliveries,
  retireUpTo,
  withdrawDelivery,
} from '../deliveries/deliveries.js';
import { insertQueues, saveQueues } from '../deliveries/queues.js';
import { recordEndings } from '../jobs/record-endings.js';
import { saveMessageChanges } from '../message-changes/message-changes.js';
import { insertRuns } from '../runs/runs.js';
import { bindAlias, saveSubjects } from '../subjects/subjects.js';
import { endLiveTurn } from '../turns/turns.js';
import type { Locked } from './locked.js';
import type { World } from './world.js';

/** Writes what was changed. */
export async function writeWorld(tx: Tx, world: World): Promise<void> {
  const touched = [...world.conversations.values()]
    .filter((c) => c.isTouched || c.hasNewLife)
    .toSorted((a, b) => (a.row.id < b.row.id ? -1 : 1));
  const made = touched.filter((c) => c.isNew);
  const known = touched.filter((c) => !c.isNew);
  const subjects = [...world.changedSubjects].flatMap((key) => {
    const [org = '', namespace = '', subjectKey = ''] = JSON.parse(key) as string[];
    const life = world.subjects.get(key);
    return life ? [{ org, namespace, key: subjectKey, ...life }] : [];
  });
  await saveSubjects(tx, subjects);
  for (const { alias, to, by } of world.bound) await bindAlias(tx, alias, to, by);
  await insertConversations(
    tx,
    made.map(({ row, title, url, isTainted }) => ({ ...row, tainted: Number(isTainted), title, url })),
    world.now,
  );
  for (const c of known) {
    if (c.hasNewLife) await saveLifetime(tx, c.row.id, c.row, world.now);
    if (c.interrupted !== null) await interrupt(tx, c.row.id, c.interrupted);
    if (c.retireUpTo === null) continue;
    await retireUpTo(tx, c.row.id, c.retireUpTo, c.spared, world.now);
    if (c.spared !== null) await becomeLifecycle(tx, c.row.id, c.spared);
    await endLiveTurn(tx, c.row.id, 'retired', null);
  }
  await taint(
    tx,
    known.filter(({ isTainted, row }) => isTainted && row.tainted === 0).map(({ row }) => row.id),
  );
  await saveMessageChanges(tx, [...world.early.kept.values()]);
  for (const { conversation, sequence, to } of world.amended) await amendDelivery(tx, conversation, sequence, to);
  for (const { conversation, sequence } of world.withdrawn) await withdrawDelivery(tx, conversation, sequence, world.now);
  for (const { conversation, sequence } of world.forgotten) await forgetMessage(tx, conversation, sequence);
  await Promise.all([
    insertQueues(
      tx,
      made.map((c) => c.queue),
    ),
    saveQueues(
      tx,
      known.filter((c) => c.isTouched).map((c) => c.queue),
    ),
    insertDeliveries(tx, world.deliveries, world.now),
    insertNotes(tx, world.notes),
  ]);
  await insertRuns(tx, world.starts.made, world.now);
  // An end that was taken back in the same breath leaves nothing to do.
  const ended = touched.flatMap((c) => (c.row.state === 'terminal' ? (c.ended ?? []) : []));
  await recordEndings(tx, ended, world.now);
  const reopened = known.filter(isOpenAgain).map((c) => c.row.id);
  if (reopened.length > 0) await mirrorReopenings(tx, reopened, world.now);
}

function isOpenAgain({ isReopened, row }: Locked): boolean {
  return isReopened && row.state === 'open';
}

async function interrupt(tx: Tx, conversation: string, bounds: { from: number; to: number }): Promise<void> {
  await completeClaimed(tx, { conversation, ...bounds }, 'interrupted', 'interrupted by a newer message');
  await endLiveTurn(tx, conversation, 'interrupted', 'interrupted by a newer message');
}

/** Conversations whose running turn was fenced: whoever runs it must stop. */
export function fencedIn(world: World): string[] {
  const all = [...world.conversations.values()];
  return all.filter((c) => (c.retireUpTo !== null || c.interrupted !== null) && !c.isNew).map((c) => c.row.id);
}

/** Conversations whose running turn has got more messages: whoever runs it hands them over. */
export function steeredIn(world: World): string[] {
  return [...world.conversations.values()].filter((c) => c.isSteered).map((c) => c.row.id);
}

/** Something became claimable. */
export function isReadyIn(world: World): boolean {
  return [...world.conversations.values()].some((c) => c.isTouched && c.queue.readyAt !== null);
}

/** Conversations that had ended are open again. */
export function hasReopenedIn(world: World): boolean {
  return [...world.conversations.values()].some(isOpenAgain);
}

/** Ends left something to do. */
export function hasEndedIn(world: World): boolean {
  return [...world.conversations.values()].some((c) => c.ended !== null);
}
