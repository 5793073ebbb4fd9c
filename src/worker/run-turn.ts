import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { saveSession, type TurnConversation } from '../core/conversations/conversations.js';
import type { Claim } from '../core/deliveries/claim.js';
import type { DeliveryContent } from '../core/deliveries/deliveries.js';
import { attemptOf, type ClaimEnd } from '../core/deliveries/end-claims.js';
import { storable } from '../core/storable.js';
import { turnId } from '../core/turns/turn.js';
import { checkpoint, isOurs, type TurnEnd } from '../core/turns/turns.js';
import type { Database } from '../database/database.js';
import { type TurnEvent, TurnFailed, type TurnInput } from '../plugin/index.js';
import { TranscriptWriter } from './transcript-writer.js';
import { turnMessages } from './turn-text.js';
import type { Workspace, WorkTable } from './work-table.js';

export interface TurnJob {
  readonly claim: Claim;
  readonly conversation: TurnConversation;
  readonly contents: readonly DeliveryContent[];
  readonly workspace: Workspace;
}

export interface TurnContext {
  readonly database: Database;
  readonly table: WorkTable;
  /** Folder in which conversations without a directory get one each. */
  readonly workspacesFolder: string;
  /** The database's time, as well as it is known here. */
  readonly now: () => number;
  readonly onActivity: (conversation: string) => void;
}

const RESULT_CHARACTERS = 4 * 1024 * 1024;
const SESSION_CHARACTERS = 1000;
const ERROR_CHARACTERS = 4 * 1024;

/** Runs one turn on its runtime and says how its claim ends; never throws. What must outlive this process is stored as it is said. */
export async function runTurn(job: TurnJob, context: TurnContext, signal: AbortSignal): Promise<ClaimEnd> {
  const { claim } = job;
  const said = new Said();
  const { conversation, token, owner } = claim;
  const transcript = new TranscriptWriter(context.database, { conversation, token, owner }, context.now, () =>
    context.onActivity(conversation),
  );
  try {
    const input = await turnInput(job, context);
    for await (const event of job.workspace.runtime.startTurn(input, signal)) await take(event, job, context, said, transcript);
    return { claim, how: 'completed', outcome: 'done', reason: null, turn: said.end('done', null, null) };
  } catch (error) {
    return endOfFailure(job, context.table, error, said, signal);
  } finally {
    await transcript.flush();
  }
}

function endOfFailure({ claim, conversation }: TurnJob, table: WorkTable, error: unknown, said: Said, signal: AbortSignal): ClaimEnd {
  const message = storable(error instanceof Error ? error.message : String(error), ERROR_CHARACTERS);
  if (!(error instanceof TurnFailed) || signal.aborted)
    return { claim, how: 'interrupted', failure: message, turn: said.end('interrupted', message, null) };
  const detail = error.detail === null ? null : storable(error.detail, ERROR_CHARACTERS);
  return {
    claim,
    how: 'failed',
    failure: message,
    onDead: table.onDead(conversation.org, claim.head.route),
    turn: said.end('failed', message, detail),
  };
}

async function turnInput(
  { claim, conversation, contents, workspace }: TurnJob,
  { table, workspacesFolder, now }: TurnContext,
): Promise<TurnInput> {
  const folder = workspace.directory ?? path.join(workspacesFolder, conversation.folder);
  await mkdir(folder, { recursive: true });
  const instructionsOf = (index: number) => table.route(conversation.org, claim.entries[index]?.route ?? null)?.instructions ?? null;
  return {
    conversation: {
      id: conversation.id,
      org: conversation.org,
      title: conversation.title,
      subject: { namespace: conversation.namespace, key: conversation.key },
    },
    turn: {
      id: turnId(claim.conversation, claim.token),
      attempt: attemptOf(claim.head),
      resumed: false,
      trust: claim.head.trust,
      messages: turnMessages(contents, { before: [noticeOf(claim), workspace.instructions], ofRoute: instructionsOf }, new Date(now())),
    },
    session: conversation.session,
    workspace: folder,
  };
}

/** The agent may have done part of the work before it was lost. */
function noticeOf({ head }: Claim): string | null {
  if (head.interruptions === 0) return null;
  return '(An earlier try of this turn was interrupted; part of it may be done already.)';
}

/** Session and process are stored before anything else happens; the rest in batches. */
async function take(
  event: TurnEvent,
  { claim }: TurnJob,
  { database }: TurnContext,
  said: Said,
  transcript: TranscriptWriter,
): Promise<void> {
  const { conversation, token, owner, from, to, head, claimedAt } = claim;
  const turn = { conversation, token, owner, from, to, attempt: attemptOf(head), startedAt: claimedAt };
  switch (event.type) {
    case 'process':
      return database.transaction(async (tx) => {
        // Whoever has it now has an agent of its own on it: ours is not even told what it is about.
        if (!(await isOurs(tx, turn))) throw new Error('the claim was taken away before the agent was given its messages');
        await checkpoint(tx, turn, event);
      });
    case 'session':
      said.session = storable(event.id, SESSION_CHARACTERS);
      await database.transaction(
        async (tx) => (await isOurs(tx, turn)) && saveSession(tx, conversation, storable(event.id, SESSION_CHARACTERS)),
      );
      return;
    case 'result':
      said.result = event.text;
      return;
    case 'text':
      said.text(event.text);
      return transcript.add(event);
    case 'cost':
      if (Number.isFinite(event.usd) && event.usd > 0) said.costUsd += event.usd;
      return transcript.add(event);
    default:
      transcript.add(event);
  }
}

/** What of a turn's events its end keeps. */
class Said {
  session: string | null = null;
  result: string | null = null;
  costUsd = 0;
  private readonly texts: string[] = [];
  private length = 0;

  text(text: string): void {
    if (this.length < RESULT_CHARACTERS) this.texts.push(text);
    this.length += text.length;
  }

  end(state: TurnEnd['state'], error: string | null, detail: string | null): TurnEnd {
    const result = this.result ?? (this.texts.length > 0 ? this.texts.join('') : null);
    return {
      state,
      session: this.session,
      result: result === null ? null : storable(result, RESULT_CHARACTERS),
      error,
      detail,
      costUsd: this.costUsd,
    };
  }
}
