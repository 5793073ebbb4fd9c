import { first, type Tx } from '../../database/tx.js';
import type { ChannelState } from '../../plugin/index.js';
import type { ControlState } from '../controls/control.js';
import type { Parking } from '../deliveries/queue.js';
import { job, UNFINISHED } from '../jobs/job.js';
import { type Found, findSlice, type Slice, Where, WINDOW } from '../listing.js';
import { quoted } from '../machine.js';

/** What a conversation is doing. `waiting_approval`: its turn, or nothing but its agent's wish, waits for a person to allow something. */
export const STATUSES = ['idle', 'queued', 'running', 'paused', 'held', 'waiting_approval', 'stalled'] as const;
export type ConversationStatus = (typeof STATUSES)[number];

/** A conversation with its queue and what its head waits for. */
export interface ConversationView {
  readonly id: string;
  readonly org: string;
  readonly namespace: string;
  readonly key: string;
  readonly scope: 'subject' | 'automation' | 'run';
  readonly title: string | null;
  readonly url: string | null;
  readonly workspace: string;
  readonly route: string | null;
  readonly session: string | null;
  readonly cleared_to: number;
  readonly tainted: number;
  readonly state: 'open' | 'terminal';
  readonly reason: string | null;
  readonly revision: string | null;
  readonly terminal_at: number | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly status: ConversationStatus;
  /** Deliveries ever made, and those not completed; of these the held and the claimed ones. */
  readonly made: number;
  readonly open: number;
  readonly held: number;
  readonly claimed: number;
  readonly waking: number;
  readonly parked: Parking | null;
  readonly paused: number;
  readonly ready_at: number | null;
  readonly head_due_at: number | null;
  readonly head_failure: string | null;
  /** How often the head's provider could not be asked what must be known first. */
  readonly head_deferrals: number | null;
  /** Of the jobs that its present end left to do: how many are not done, and the failure of one that failed. */
  readonly cleanup_open: number;
  readonly cleanup_failure: string | null;
  /** The thread in which people see it; null: it has none. */
  readonly control_connection: string | null;
  readonly control_parent: string | null;
  readonly control_thread: string | null;
  readonly control_title: string | null;
  readonly control_url: string | null;
  readonly control_state: ControlState | null;
  readonly control_fault: ChannelState | null;
  readonly control_fault_message: string | null;
  readonly control_fault_at: number | null;
  readonly now: number;
}

export interface ConversationFilter {
  readonly state?: string | undefined;
  readonly status?: string | undefined;
  readonly workspace?: string | undefined;
  readonly namespace?: string | undefined;
  readonly key?: string | undefined;
  /** Part of the title or the key, in any case. */
  readonly q?: string | undefined;
}

export type ConversationPosition = readonly [createdAt: number, id: string];

const IS_ASKING = "exists (select 1 from approvals a where a.conversation = c.id and a.ended_at is null and a.state = 'pending')";

const STATUS = `case when q.owner is not null and q.resting = 0 then 'running' when q.paused = 1 then 'paused'
  when q.owner is not null then case when ${IS_ASKING} then 'waiting_approval' else 'paused' end
  when q.parked = 'held' then 'held' when q.parked is not null then 'stalled'
  when q.open > 0 then 'queued' when ${IS_ASKING} then 'waiting_approval' else 'idle' end`;

/** Of the jobs of the present end; there are none while it is open. */
const ofCleanup = (what: string, states: string): string =>
  `(select ${what} from jobs j where c.state = 'terminal' and j.conversation = c.id and j.ending = c.ending and j.state in (${states}))`;

const CONTROL = ['connection', 'parent', 'thread', 'title', 'url', 'state', 'fault', 'fault_message', 'fault_at']
  .map((column) => `b.${column} as control_${column}`)
  .join(', ');

const select = (tx: Tx): string => `
  select c.id, c.org, c.namespace, c.key, c.scope, c.title, c.url, c.workspace, c.route, c.session, c.cleared_to, c.tainted, c.state, c.reason, c.revision,
    c.terminal_at, c.created_at, c.updated_at, ${STATUS} as status,
    coalesce(q.next_sequence, 1) - 1 as made, coalesce(q.open, 0) as open, coalesce(q.waking, 0) as waking, q.parked, coalesce(q.paused, 0) as paused, q.ready_at,
    (select count(*) from deliveries x where x.conversation = c.id and x.sequence >= q.head and x.state = 'held') as held,
    case when q.owner is null then 0 else (select count(*) from deliveries x
      where x.conversation = c.id and x.sequence between q.claim_from and q.claim_to and x.state = 'pending') end as claimed,
    h.due_at as head_due_at, h.failure as head_failure, h.deferrals as head_deferrals,
    ${ofCleanup('count(*)', quoted(UNFINISHED))} as cleanup_open,
    ${ofCleanup('min(j.failure)', quoted(job.sources('begin')))} as cleanup_failure, ${CONTROL}, ${tx.dialect.now} as now
  from conversations c left join queues q on q.conversation = c.id left join control_bindings b on b.conversation = c.id
    left join deliveries h on h.conversation = c.id and h.sequence = (
      select min(x.sequence) from deliveries x where x.conversation = c.id and x.sequence >= q.head and x.state <> 'completed')`;

export async function listConversations(
  tx: Tx,
  org: string,
  filter: ConversationFilter,
  slice: Slice<ConversationPosition>,
): Promise<Found<ConversationView, ConversationPosition>> {
  const where = new Where()
    .and('c.org = ?', org)
    .filter('c.state = ?', filter.state)
    .filter(`${STATUS} = ?`, filter.status)
    .filter('c.workspace = ?', filter.workspace)
    .filter('c.namespace = ?', filter.namespace)
    .filter('c.key = ?', filter.key);
  if (filter.q !== undefined)
    where.and("(lower(c.title) like ? escape '!' or lower(c.key) like ? escape '!')", like(filter.q), like(filter.q));
  if (slice.after) where.and('(c.created_at, c.id) < (?, ?)', ...slice.after);
  const last = isSearch(filter) ? await endOfWindow(tx, org, slice.after) : null;
  if (last) where.and('(c.created_at, c.id) >= (?, ?)', ...last);
  const order = 'c.created_at desc, c.id desc';
  const position = (row: ConversationView): ConversationPosition => [row.created_at, row.id];
  const found = await findSlice(tx, { select: select(tx), where, order }, slice, position);
  return { rows: found.rows, next: found.next ?? last };
}

/** No index finds what is asked for; without a filter, and by its whole subject, the first rows are the right ones. */
function isSearch({ state, status, workspace, namespace, key, q }: ConversationFilter): boolean {
  if (namespace !== undefined && key !== undefined) return false;
  return [state, status, workspace, namespace, key, q].some((filter) => filter !== undefined);
}

/** The last conversation that one slice looks at; null: all that are left are few enough. */
async function endOfWindow(tx: Tx, org: string, after: ConversationPosition | null): Promise<ConversationPosition | null> {
  const where = new Where().and('org = ?', org);
  if (after) where.and('(created_at, id) < (?, ?)', ...after);
  const row = await first<{ created_at: number; id: string }>(
    tx,
    `select created_at, id from conversations ${where.sql} order by created_at desc, id desc limit 1 offset ?`,
    [...where.values, WINDOW - 1],
  );
  return row && [row.created_at, row.id];
}

export async function readConversation(tx: Tx, org: string, id: string): Promise<ConversationView | null> {
  return first(tx, `${select(tx)} where c.org = ? and c.id = ?`, [org, id]);
}

function like(part: string): string {
  return `%${part.toLowerCase().replace(/[!%_]/g, '!$&')}%`;
}
