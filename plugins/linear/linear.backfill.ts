import { type Backfill, type Connection, type EventSink, type ProviderEvent, ProviderFault } from 'throughline/plugin';
import { ISSUE_FIELDS } from './current-issue.js';
import { commented, created, type Teller } from './history.js';
import { type Fields, fields, list, word } from './json.js';
import { readLinear } from './linear.client.js';
import type { LinearConnection } from './linear.options.js';

type Linear = Connection<LinearConnection>;

const PAGE = 100;
/** As many as the host takes; more would be read in vain. */
const MOST = 10_000;
/** Clocks differ, and what was said before is known by its key. */
const OVERLAP_MS = 60_000;

const PERSON = 'id name';
const COMMENT = `id body url createdAt updatedAt parentId issue { id identifier title url } user { ${PERSON} } externalUser { ${PERSON} }
  botActor { id name type }`;
const HISTORIES = {
  comments: { type: 'CommentFilter', fields: COMMENT, event: commented },
  issues: { type: 'IssueFilter', fields: `${ISSUE_FIELDS} creator { ${PERSON} }`, event: created },
} as const;

/** Asks for the issues and comments that were written while nobody listened. */
export class LinearBackfill implements Backfill<LinearConnection> {
  usedBy({ options }: Linear): boolean {
    return options.token !== undefined;
  }

  async since(connection: Linear, mark: Date, sink: EventSink, signal: AbortSignal): Promise<void> {
    const from = new Date(mark.getTime() - OVERLAP_MS).toISOString();
    const missed = [...(await read('issues', from, connection, signal)), ...(await read('comments', from, connection, signal))];
    for (const { event } of missed.sort((a, b) => (a.at < b.at ? -1 : 1))) await sink.accept(event);
  }
}

interface Missed {
  readonly at: string;
  readonly event: ProviderEvent;
}

/** Linear gives the newest first, and only so. */
async function read(what: keyof typeof HISTORIES, from: string, connection: Linear, signal: AbortSignal): Promise<Missed[]> {
  const missed: Missed[] = [];
  let after: string | undefined;
  do {
    const { nodes, teller, endCursor } = await readPage(what, { from, after: after ?? null }, connection, signal);
    missed.push(...nodes.map((node) => ({ at: word(node.createdAt) ?? '', event: HISTORIES[what].event(node, teller) })));
    after = endCursor;
  } while (after !== undefined && missed.length < MOST);
  return missed;
}

async function readPage(
  what: keyof typeof HISTORIES,
  { from, after }: { readonly from: string; readonly after: string | null },
  connection: Linear,
  signal: AbortSignal,
): Promise<{ nodes: Fields[]; teller: Teller; endCursor: string | undefined }> {
  const { type, fields: wanted } = HISTORIES[what];
  const document = `query ($filter: ${type}, $after: String) {
    organization { id }
    ${what}(filter: $filter, first: ${PAGE}, after: $after, orderBy: createdAt) { nodes { ${wanted} } pageInfo { hasNextPage endCursor } }
  }`;
  const answer = await readLinear(document, { filter: { createdAt: { gte: from } }, after }, connection, signal);
  const organizationId = word(fields(answer?.organization)?.id);
  if (answer === null || organizationId === undefined) throw new ProviderFault('Linear did not say whose history this is', 'permanent');
  const { nodes, pageInfo } = fields(answer[what]) ?? {};
  const endCursor = fields(pageInfo)?.hasNextPage === true ? word(fields(pageInfo)?.endCursor) : undefined;
  return { nodes: list(nodes), teller: { organizationId }, endCursor };
}
