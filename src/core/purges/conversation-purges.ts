import type { Database } from '../../database/database.js';
import { clock, type Tx } from '../../database/tx.js';
import { Conflict, NotFound, type Parsed } from '../../plugin/index.js';
import { clearApprovals, hasApproved, voidApprovals } from '../approvals/approvals.js';
import { audited } from '../audited.js';
import { readConversations } from '../conversations/conversations.js';
import { insertNotes } from '../conversations/notes.js';
import { lockQueues } from '../deliveries/queues.js';
import { lockReceipts } from '../receipts/receipts.js';
import {
  clearConversation,
  clearReceipts,
  clearResults,
  clearTranscripts,
  decisionsAbout,
  deletePurge,
  findPurge,
  insertPurge,
  type Purge,
  saveDecision,
  unfinishedPurges,
  whoNeeds,
  wordyReceipts,
} from './purges.js';

export interface PurgeRequest {
  readonly org: string;
  readonly conversation: string;
  readonly by: string;
}

/** What a purge leaves to be taken from the disk. */
export interface PurgedFiles extends Pick<Purge, 'conversation' | 'org' | 'folder'> {
  /** The one that the conversation is in now. */
  readonly workspace: string;
}

const RECEIPTS_A_TIME = 200;
const LINES_A_TIME = 5000;

/** Takes the words of conversations for good, as far as they are here; ids, hashes, decisions and the audit log stay. */
export class ConversationPurges {
  constructor(
    private readonly database: Database,
    /** Of what may not be there, and may have been begun to be removed before. */
    private readonly removeFiles: (files: PurgedFiles) => Promise<void>,
  ) {}

  /** Resolves when it is done. Throws `Conflict` while something is running or waits. What fails half-way is gone on with by `resume`. */
  async purge(request: PurgeRequest): Promise<void> {
    await this.finish(await audited(this.database, (tx) => begin(tx, request)));
  }

  /** Goes on with purges that were cut off, each for itself. Resolves to how many were finished. */
  async resume(signal: AbortSignal, onFailure: (purge: Purge, error: Error) => void): Promise<number> {
    let finished = 0;
    for (const purge of await this.database.transaction(unfinishedPurges)) {
      if (signal.aborted) break;
      await this.finish(purge).then(
        () => finished++,
        (error: Error) => onFailure(purge, error),
      );
    }
    return finished;
  }

  private async finish(purge: Purge): Promise<void> {
    await this.repeat((tx) => purgeReceipts(tx, purge));
    const needed = await this.database.transaction((tx) => whoNeeds(tx, purge));
    if (needed)
      throw new Conflict(
        `conversation ${needed} was given some of the same events meanwhile; the purge goes on once it has done with them`,
      );
    await this.repeat(async (tx) => (await clearTranscripts(tx, purge, LINES_A_TIME)) === LINES_A_TIME);
    await this.database.transaction(async (tx) => {
      await clearResults(tx, purge);
      await clearApprovals(tx, purge.conversation);
    });
    const [row] = await this.database.transaction((tx) => readConversations(tx, [purge.conversation]));
    const { conversation, org, folder } = purge;
    await this.removeFiles({ conversation, org, folder, workspace: row?.workspace ?? '' });
    await this.database.transaction((tx) => deletePurge(tx, purge.conversation));
  }

  /** A transaction a batch, as long as there may be more. */
  private async repeat(batch: (tx: Tx) => Promise<boolean>): Promise<void> {
    while (await this.database.transaction(batch));
  }
}

/** From the commit on nothing new gets in: whoever purges sees that nobody works on it and nothing waits, under the lock of the queue. */
async function begin(tx: Tx, { org, conversation, by }: PurgeRequest): Promise<Purge> {
  const queue = (await lockQueues(tx, [conversation])).get(conversation);
  const [row] = await readConversations(tx, [conversation]);
  if (!queue || row?.org !== org) throw new NotFound(`there is no conversation ${conversation}`);
  if (queue.owner !== null) throw new Conflict('a turn is running in this conversation; stop it first');
  if (queue.open > 0) throw new Conflict(`${queue.open} deliveries of this conversation wait; terminate it, or skip them, first`);
  if (await hasApproved(tx, conversation)) throw new Conflict('what a person has approved in this conversation is not done yet');
  await voidApprovals(tx, [conversation], 'purged');
  const begun = await findPurge(tx, conversation);
  if (begun) return begun;
  const now = await clock(tx);
  const bounds = { conversation, org, up_to_sequence: queue.nextSequence - 1, up_to_token: queue.token };
  const needed = await whoNeeds(tx, { ...bounds, folder: '' });
  if (needed) throw new Conflict(`conversation ${needed} was given some of the same events and has not done with them`);
  const folder = await clearConversation(tx, conversation, `${conversation}.${now.toString(36)}`);
  const purge = { ...bounds, folder };
  await insertPurge(tx, purge, by);
  await insertNotes(tx, [{ conversation, at: now, by, kind: 'purge', receipt: null, sequence: null, reason: null }]);
  return purge;
}

/** True: there may be more. */
async function purgeReceipts(tx: Tx, purge: Purge): Promise<boolean> {
  const found = await wordyReceipts(tx, purge, RECEIPTS_A_TIME);
  const ids = found.map(({ id }) => id);
  // Whoever decides about one of them again comes before, and then it is needed, or after, and then it is gone.
  await lockReceipts(tx, ids);
  const free = new Set((await wordyReceipts(tx, purge, RECEIPTS_A_TIME)).map(({ id }) => id));
  const receipts = found.filter(({ id }) => free.has(id));
  await clearReceipts(
    tx,
    receipts.map(({ id, parsed }) => ({ id, parsed: JSON.stringify(withoutWords(JSON.parse(parsed) as Parsed)) })),
  );
  for (const decision of await decisionsAbout(
    tx,
    receipts.map(({ id }) => id),
  ))
    await saveDecision(tx, { ...decision, detail: withoutComparisons(decision.detail) });
  return receipts.length === RECEIPTS_A_TIME;
}

function withoutWords(parsed: Parsed): Parsed {
  const { kind, subject, observation } = parsed;
  const about = { subject, ...(observation && { observation }) };
  switch (kind) {
    case 'prompt':
      return { ...about, kind, text: '', ...(parsed.messageKey !== undefined && { messageKey: parsed.messageKey }) };
    case 'edit':
      return { ...about, kind, text: '', messageKey: parsed.messageKey, revision: parsed.revision };
    case 'withdrawal':
      return { ...about, kind, messageKey: parsed.messageKey };
    case 'lifecycle':
      return { ...about, kind, observation: parsed.observation };
    case 'action':
      return { ...about, kind: 'recorded', reason: kind };
    default:
      return { ...about, kind, reason: parsed.reason };
  }
}

/** What a route compared an event with may be words of the event. */
function withoutComparisons(detail: string): string {
  const decision = JSON.parse(detail) as { readonly refusals?: readonly object[] };
  return JSON.stringify({ ...decision, refusals: decision.refusals?.map((refusal) => ({ ...refusal, detail: '' })) ?? [] });
}
