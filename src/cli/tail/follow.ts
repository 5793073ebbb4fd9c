import { painter, say, type Terminal } from '../terminal.js';
import { type AdminApi, Unreachable } from './admin-api.js';
import { type Delivery, HEADER, stateLine } from './state-line.js';

interface Page {
  readonly items: readonly Delivery[];
  readonly next_cursor: string | null;
}

export interface Following {
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
  /** Resolves when it is time to look again. */
  wait(): Promise<unknown>;
}

const SHOWN_AT_FIRST = 10;
const PAGE = 200;
/** Whoever writes more between two looks than this many pages hold is not followed line by line. */
const MOST_PAGES = 10;
const REMEMBERED = 20_000;

/** Prints a line for each delivery that is new or has changed, oldest first, until the signal aborts. */
export async function follow(api: AdminApi, conversation: string | null, { terminal, signal, wait }: Following): Promise<void> {
  const seen = new Map<string, string>();
  let isLost = false;
  if (terminal.out.isTTY) say(terminal, painter(terminal)('bold', HEADER));
  for (let looks = 0; !signal.aborted; looks++) {
    try {
      const changed = await changes(api, conversation, seen);
      for (const delivery of looks === 0 ? changed.slice(-SHOWN_AT_FIRST) : changed) say(terminal, stateLine(delivery));
      if (isLost) terminal.err.write('the server answers again\n');
      isLost = false;
    } catch (error) {
      if (signal.aborted) return;
      // A server that restarts is waited for; one that was never there is a mistake.
      if (!(error instanceof Unreachable) || looks === 0) throw error;
      if (!isLost) terminal.err.write(`${error.message}\nasking again until it answers\n`);
      isLost = true;
    }
    await wait();
  }
}

/** What is not as it was when it was last looked at, oldest first. Remembers it. */
async function changes(api: AdminApi, conversation: string | null, seen: Map<string, string>): Promise<Delivery[]> {
  const isFirst = seen.size === 0;
  const changed: Delivery[] = [];
  let cursor: string | null = null;
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const page: Page = await api.get(pathOf(conversation, cursor));
    const found = page.items.filter((delivery) => seen.get(delivery.id) !== stateOf(delivery));
    changed.push(...found);
    cursor = page.next_cursor;
    const goesOn = !isFirst && found.length === page.items.length && found.every(({ id }) => !seen.has(id));
    for (const delivery of found) remember(seen, delivery);
    if (cursor === null || !goesOn) break;
  }
  return changed.reverse();
}

function pathOf(conversation: string | null, cursor: string | null): string {
  const path = conversation === null ? '/v1/deliveries' : `/v1/conversations/${conversation}/deliveries`;
  return `${path}?limit=${PAGE}${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
}

function stateOf({ state, outcome, attempts }: Delivery): string {
  return `${state} ${outcome} ${attempts}`;
}

function remember(seen: Map<string, string>, delivery: Delivery): void {
  seen.delete(delivery.id);
  seen.set(delivery.id, stateOf(delivery));
  const [oldest] = seen.keys();
  if (seen.size > REMEMBERED && oldest !== undefined) seen.delete(oldest);
}
