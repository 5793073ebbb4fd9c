import { ConfigFault, type Connection, type Page, type PollTransport, ProviderFault } from 'throughline/plugin';
import { ISSUE_FIELDS } from './current-issue.js';
import { reconciled } from './history.js';
import { type Fields, fields, list, word } from './json.js';
import { readLinear } from './linear.client.js';
import type { LinearConnection } from './linear.options.js';

const PAGE = 100;
const INTERVAL_MS = 60_000;
/** Where it begins: the webhooks of what is older have come, or their retries will. */
const FIRST_LOOK_MS = 10 * 60_000;

const CHANGED = `query ($filter: IssueFilter, $after: String) {
  organization { id }
  issues(filter: $filter, first: ${PAGE}, after: $after, includeArchived: true, sort: [{ updatedAt: { order: Ascending } }]) {
    nodes { ${ISSUE_FIELDS} } pageInfo { hasNextPage endCursor }
  }
}`;

/** How far it was read: all that changed before `since`, of what changed then `told`, and while a look goes on, where. */
interface Progress {
  readonly since: string;
  readonly told: readonly string[];
  readonly after: string | null;
}

/** Reads the issues that changed, so that an end is heard of whose webhook never came. */
export class LinearReconciliation implements PollTransport<LinearConnection> {
  readonly kind = 'poll';
  readonly intervalMs = INTERVAL_MS;

  usedBy({ options }: Connection<LinearConnection>): boolean {
    return options.token !== undefined && options.reconcile !== false;
  }

  async poll(connection: Connection<LinearConnection>, cursor: string | null, signal: AbortSignal): Promise<Page> {
    const progress = cursor === null ? firstLook() : (JSON.parse(cursor) as Progress);
    const { since, after } = progress;
    const changed = [{ updatedAt: { gte: since } }, { archivedAt: { gte: since } }];
    const answer = await readLinear(CHANGED, { filter: { or: changed }, after }, connection, signal).catch(untilMended);
    const organizationId = word(fields(answer?.organization)?.id);
    if (answer === null || organizationId === undefined) throw new ProviderFault('Linear did not say whose issues these are', 'permanent');
    const { nodes, pageInfo } = fields(answer.issues) ?? {};
    const news = list(nodes).filter((issue) => !progress.told.includes(mark(issue)));
    const endCursor = fields(pageInfo)?.hasNextPage === true ? word(fields(pageInfo)?.endCursor) : undefined;
    const next = advanced(progress, list(nodes), endCursor);
    return {
      events: news.map((issue) => reconciled(issue, { organizationId })),
      cursor: JSON.stringify(next),
      more: endCursor !== undefined,
    };
  }
}

/** With a token that is not valid every question would fail. */
function untilMended(error: unknown): never {
  if (error instanceof ProviderFault && error.kind === 'unauthorized') throw new ConfigFault(error.message, { cause: error });
  throw error;
}

function firstLook(): Progress {
  return { since: new Date(Date.now() - FIRST_LOOK_MS).toISOString(), told: [], after: null };
}

/** A look that goes on keeps where it began; the next one begins at the newest change that was told. */
function advanced(before: Progress, issues: readonly Fields[], endCursor: string | undefined): Progress {
  if (endCursor !== undefined) return { ...before, told: tellable([...before.told, ...issues.map(mark)]), after: endCursor };
  const marks = [...before.told, ...issues.map(mark)];
  const newest = [before.since, ...issues.map(instantOf)].sort().at(-1) ?? before.since;
  return { since: newest, told: tellable(marks.filter((each) => each.endsWith(` ${newest}`))), after: null };
}

/** One that is told again is the same delivery: forgetting it costs a look at the store. */
function tellable(told: readonly string[]): string[] {
  return [...new Set(told)].slice(-PAGE);
}

function mark(issue: Fields): string {
  return `${word(issue.id)} ${instantOf(issue)}`;
}

function instantOf({ updatedAt, archivedAt }: Fields): string {
  return [word(updatedAt) ?? '', word(archivedAt) ?? ''].sort().at(-1) ?? '';
}
