import type { Tx } from '../../database/tx.js';
import type { Author, ControlAction } from '../../plugin/index.js';
import { boundTo, channelsInMaking, threadsAbout } from '../controls/bindings.js';
import { commandIn } from '../controls/command.js';
import type { ThreadPlace } from '../controls/control.js';
import { type ConversationRow, readConversations } from '../conversations/conversations.js';
import { authorRefusal } from '../routing/author-policy.js';
import type { NoMatch, Route } from '../routing/route.js';
import type { Admission, BoundThread, Fresh, PlannedMatch } from './plan-admission.js';

const NOBODY_ELSE = { allowSelf: false, allowBots: false, allow: [] };

/**
 * What was said in a thread that is bound belongs to the thread's conversation alone: no route is asked. Done in the transaction that
 * decides, so that a replay is decided by what is bound then.
 */
export async function bindThreads(tx: Tx, arrived: readonly Fresh[]): Promise<readonly Fresh[]> {
  const fresh = await bindCommands(tx, arrived);
  const places = fresh.flatMap(({ admission }) => placeOf(admission) ?? []);
  if (places.length === 0) return fresh;
  const bound = await boundTo(tx, places);
  const rows = await readConversations(tx, [...new Set(bound.map(({ conversation }) => conversation))]);
  const conversations = new Map(rows.map((row) => [row.id, row]));
  const byPlace = new Map(bound.map((each) => [placeText(each), conversations.get(each.conversation)]));
  const making = await channelsInMaking(
    tx,
    fresh.flatMap(({ admission }) => waitingPlace(admission) ?? []).filter((place) => !byPlace.has(placeText(place))),
  );
  return fresh.map((each) => {
    const place = placeOf(each.admission);
    const row = place === null ? undefined : byPlace.get(placeText(place));
    if (place !== null && row !== undefined) return { ...each, admission: within(each.admission, row, place.thread) };
    const waits = waitingPlace(each.admission);
    const isEarly = waits !== null && making.has(`${waits.org}/${waits.connection}`);
    return isEarly ? { ...each, admission: { ...unrouted(each.admission), early: waits } } : each;
  });
}

/**
 * A command that was written about the subject itself, at the channel of its one conversation, is that conversation's: at Linear the answer
 * to a session is a comment on the issue, too, and comes first or second.
 */
async function bindCommands(tx: Tx, fresh: readonly Fresh[]): Promise<readonly Fresh[]> {
  const bound = new Map<Fresh, Fresh>();
  for (const each of fresh.filter(isCommandOutside)) {
    const { admission } = each;
    const { org, source: connection } = admission.event;
    if (admission.subject === null) continue;
    const [place, ...others] = await threadsAbout(tx, { org, connection, subject: admission.subject });
    const [row] = place === undefined || others.length > 0 ? [] : await readConversations(tx, [place.conversation]);
    if (place !== undefined && row !== undefined) bound.set(each, { ...each, admission: within(admission, row, place.thread) });
  }
  return bound.size === 0 ? fresh : fresh.map((each) => bound.get(each) ?? each);
}

function isCommandOutside({ admission }: Fresh): boolean {
  const { parsed } = admission.event;
  return parsed.kind === 'prompt' && parsed.thread === undefined && actionOf(admission) !== null;
}

/** Where it was said, if it is decided for the first time: it can wait until it is known whose thread that is. */
function waitingPlace(admission: Admission): ThreadPlace | null {
  const { kind } = admission.event.parsed;
  return admission.replayOf === null && (kind === 'prompt' || kind === 'action') ? placeOf(admission) : null;
}

function unrouted(admission: Admission): Admission {
  return { ...admission, subject: null, observation: null, move: null, matches: [], refusals: [] };
}

/** Null: it was said in no thread, or only the state of a subject is told. */
function placeOf({ event: { org, source, parsed } }: Admission): ThreadPlace | null {
  const isOfPeople = parsed.kind === 'prompt' || parsed.kind === 'action' || parsed.kind === 'edit' || parsed.kind === 'withdrawal';
  return isOfPeople && parsed.thread !== undefined ? { org, connection: source, thread: parsed.thread } : null;
}

function placeText({ org, connection, thread }: ThreadPlace): string {
  return JSON.stringify([org, connection, thread]);
}

function within(admission: Admission, row: ConversationRow, thread: string): Admission {
  const { parsed } = admission.event;
  const place = { thread, conversation: row.id, about: { namespace: row.namespace, key: row.key } };
  const plain = unrouted(admission);
  if (admission.change !== null) return { ...plain, bound: null, change: { ...admission.change, conversations: [row.id] } };
  const refusal = refusalOf(admission, row, parsed.author);
  if (refusal !== null) return { ...plain, bound: { ...place, action: null }, refusals: [refusal] };
  const action = actionOf(admission);
  const bound: BoundThread = { ...place, action };
  return action === null ? { ...plain, bound, matches: [matchOf(admission, row)] } : { ...plain, bound };
}

function actionOf({ event: { parsed } }: Admission): ControlAction | null {
  if (parsed.kind === 'action') return parsed.action;
  return parsed.kind === 'prompt' ? commandIn(parsed.text.slice(parsed.lead ?? 0)) : null;
}

/** Whoever may see the thread may speak in it, but for machines; where routes of the workspace listen to this very connection, theirs is the word. */
function refusalOf(
  { routes, event: { org, source } }: Admission,
  { workspace }: ConversationRow,
  author: Author | undefined,
): NoMatch | null {
  const own = routes.filter((route) => route.org === org && route.workspace === workspace && route.source === source);
  const policies = own.length === 0 ? [NOBODY_ELSE] : own.map(({ authors }) => authors);
  const refusals = policies.map((policy) => authorRefusal(policy, author));
  const [first] = refusals;
  if (!first || refusals.includes(null)) return null;
  return { matched: false, route: own[0]?.name ?? '(thread)', reason: first.reason, detail: first.detail };
}

function matchOf({ event, routes, threadTrust }: Admission, row: ConversationRow): PlannedMatch {
  const { id, org, namespace, key, scope, scope_name: scopeName } = row;
  const placed: Route | undefined = routes.find((route) => route.org === event.org && route.name === row.route);
  return {
    conversation: { id, org, namespace, key, scope, scopeName },
    ...{ scope: null, about: { namespace, key }, route: null, workspace: null },
    ...{ onDemand: false, continueOnly: true, waking: true, wakeAfterMs: null },
    ...{ trust: threadTrust, lifecycle: 'follow', whileBusy: 'steer', debounceMs: 0, text: null },
    afterClose: placed?.afterClose ?? 'ignore',
  };
}
