import { isOfAutomation } from '../core/automations/automation.js';
import { saveSession, type TurnConversation } from '../core/conversations/conversations.js';
import type { Claim } from '../core/deliveries/claim.js';
import type { DeliveryContent } from '../core/deliveries/deliveries.js';
import { attemptOf, type ClaimEnd, turnOf } from '../core/deliveries/end-claims.js';
import { type Allowance, spentText } from '../core/limits/rules.js';
import { ConversationGone } from '../core/runs/gone.js';
import { prologueOf } from '../core/runs/prologue.js';
import { storable } from '../core/storable.js';
import { turnId } from '../core/turns/turn.js';
import { checkpoint, isOurs, type TurnEnd } from '../core/turns/turns.js';
import type { Database } from '../database/database.js';
import { type TurnEvent, TurnFailed, type TurnInput, type TurnMessage } from '../plugin/index.js';
import { fetchAttachments } from './attachments/fetch-attachments.js';
import { beginTurn } from './begin-turn.js';
import { TurnShow } from './controls/turn-show.js';
import type { LiveTurn } from './live-turn.js';
import type { Providers } from './providers.js';
import { TranscriptWriter } from './transcript-writer.js';
import type { PermissionDesk } from './turn-requests.js';
import { turnMessages } from './turn-text.js';
import type { Workspace, WorkTable } from './work-table.js';
import { turnFolder, type WorkspaceFolders } from './workspace-folders.js';

export interface TurnJob {
  readonly claim: Claim;
  readonly conversation: TurnConversation;
  readonly contents: readonly DeliveryContent[];
  readonly workspace: Workspace;
  /** Whether the provider of a message has a word before a turn works on it. */
  readonly isAsked: (content: DeliveryContent) => boolean;
}

export interface TurnContext {
  readonly database: Database;
  readonly table: WorkTable;
  readonly providers: Providers;
  /** Folder in which conversations without a directory get one each. */
  readonly workspacesFolder: string;
  readonly folders: WorkspaceFolders;
  /** How long files that came with messages stay in conversations that go on. */
  readonly attachmentsKeptMs: number;
  /** The database's time, as well as it is known here. */
  readonly now: () => number;
  readonly onActivity: (conversation: string) => void;
  /** Something is to be done at a channel. */
  readonly onErrands: () => void;
  /** Where the agent finds the tools of its conversation; null: it has none. */
  readonly toolsOf: (conversation: TurnConversation) => TurnInput['mcp'];
  readonly permissions: PermissionDesk;
}

const RESULT_CHARACTERS = 4 * 1024 * 1024;
const SESSION_CHARACTERS = 1000;
const ERROR_CHARACTERS = 4 * 1024;

/**
 * Runs one turn on its runtime and says how its claim ends; never throws. What must outlive this process is stored as it is said.
 * The claim that ends is the live one: messages may have joined it.
 */
export async function runTurn(job: TurnJob, context: TurnContext, live: LiveTurn): Promise<ClaimEnd> {
  const { conversation, token, owner } = job.claim;
  const transcript = new TranscriptWriter(context.database, { conversation, token, owner }, context.now, () =>
    context.onActivity(conversation),
  );
  const show = showOf(job, context);
  const end = await drive(job, context, live, { transcript, show, live });
  const unstored = await transcript.rest();
  const result = 'turn' in end && end.turn !== null ? end.turn.result : null;
  return { ...end, unstored, shown: show && { place: show.place, posts: await show.end(result) } };
}

/** Null: the workspace's conversations are shown nowhere. */
function showOf({ claim, conversation }: TurnJob, { database, table, onErrands }: TurnContext): TurnShow | null {
  const { id, org, workspace } = conversation;
  const placement = table.placement(org, workspace);
  return placement && new TurnShow(database, { conversation: id, org, workspace, placement }, claim, onErrands);
}

/** Who is told what a turn says while it says it. */
interface Listeners {
  readonly transcript: TranscriptWriter;
  readonly show: TurnShow | null;
  readonly live: LiveTurn;
}

async function drive(job: TurnJob, context: TurnContext, live: LiveTurn, listeners: Listeners): Promise<ClaimEnd> {
  const { signal } = live.stop;
  const said = new Said();
  try {
    const input = await turnInput(job, context, signal);
    const { runtime } = job.workspace;
    const events = await beginTurn(job, input, context.database, signal);
    live.begin({ runtime, isAsked: job.isAsked, messages: (contents, until) => messagesOf(contents, [], job, context, until) });
    for await (const event of events) await take(event, job, context, said, listeners);
    await live.close();
    return { claim: live.claim, how: 'completed', outcome: 'done', reason: null, turn: said.end('done', null, null) };
  } catch (error) {
    context.folders.forget(folderOf(job, context));
    await live.close();
    return endOfFailure({ ...job, claim: live.claim }, context.table, error, said, signal);
  }
}

function endOfFailure({ claim, conversation }: TurnJob, table: WorkTable, error: unknown, said: Said, signal: AbortSignal): ClaimEnd {
  if (error instanceof Spent)
    return { claim, how: 'spent', failure: error.message, until: error.until, turn: said.end('failed', error.message, null) };
  const message = storable(error instanceof Error ? error.message : String(error), ERROR_CHARACTERS);
  if (error instanceof ConversationGone && !signal.aborted)
    return { claim, how: 'gone', failure: message, turn: said.end('interrupted', message, null) };
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

/** Its turn may cost no more. */
class Spent extends Error {
  readonly until: number | null;

  constructor(allowance: Allowance) {
    super(spentText(allowance));
    this.until = allowance.until;
  }
}

/** With their files, which are fetched at the last moment: by then nobody else is at work in the folder. */
function messagesOf(
  contents: readonly DeliveryContent[],
  before: readonly (string | null)[],
  job: TurnJob,
  context: TurnContext,
  signal: AbortSignal,
): Promise<TurnMessage[]> {
  const { table, now, providers, attachmentsKeptMs: keptForMs } = context;
  const ofRoute = (route: string | null) => table.route(job.conversation.org, route)?.instructions ?? null;
  const messages = turnMessages(contents, { before, ofRoute }, new Date(now()));
  return fetchAttachments(messages, contents, { providers, workspace: folderOf(job, context), keptForMs }, signal);
}

async function turnInput(job: TurnJob, context: TurnContext, signal: AbortSignal): Promise<TurnInput> {
  const { claim, conversation, contents, workspace } = job;
  const folder = folderOf(job, context);
  await context.folders.make(folder, conversation, workspace.repository);
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
      number: claim.token,
      trust: claim.head.trust,
      messages: await messagesOf(
        contents,
        [noticeOf(claim), workspace.instructions, ...(await prologue(job, context))],
        job,
        context,
        signal,
      ),
    },
    session: conversation.session,
    workspace: folder,
    // Made when it is asked for: many an agent takes no tools.
    get mcp() {
      return context.toolsOf(conversation);
    },
  };
}

function folderOf({ workspace, conversation }: TurnJob, { workspacesFolder }: TurnContext): string {
  return turnFolder(workspace, conversation, workspacesFolder);
}

/** What the host says before the message that began a run of an automation. */
async function prologue({ claim, contents }: TurnJob, { database }: TurnContext): Promise<string[]> {
  if (!contents.some(({ route }) => isOfAutomation(route))) return [];
  return database.transaction((tx) => prologueOf(tx, claim));
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
  { transcript, show, live }: Listeners,
): Promise<void> {
  const { conversation } = claim;
  const turn = turnOf(claim);
  switch (event.type) {
    case 'process':
      return database.transaction(async (tx) => {
        // Whoever has it now has an agent of its own on it: ours is not even told what it is about.
        if (!(await isOurs(tx, turn))) throw new Error('the claim was taken away before the agent was given its messages');
        await checkpoint(tx, turn, event);
      });
    case 'session':
      said.session = storable(event.id, SESSION_CHARACTERS);
      return database.transaction(async (tx) => {
        if (!(await isOurs(tx, turn))) return;
        await checkpoint(tx, turn, null);
        await saveSession(tx, conversation, storable(event.id, SESSION_CHARACTERS));
      });
    case 'result':
      said.result = event.text;
      return;
    case 'text':
      said.text(event.text);
      show?.text(event.text);
      return transcript.add(event);
    case 'cost':
      if (Number.isFinite(event.usd) && event.usd > 0) said.costUsd += event.usd;
      transcript.add(event);
      if (claim.allowance !== null && said.costUsd > claim.allowance.usd) throw new Spent(claim.allowance);
      return;
    case 'approval':
      transcript.add(event);
      show?.working(event.title);
      return live.ask(event);
    default:
      if (event.type === 'status') show?.working(event.text);
      if (event.type === 'tool') show?.working(event.name);
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
