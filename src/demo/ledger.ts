import type { AdminApi } from '../cli/tail/admin-api.js';

/** What the admin API tells, as far as the demo looks at it; `src/admin` describes the whole. */
export interface Conversation {
  readonly id: string;
  readonly title: string | null;
  readonly subject: { readonly namespace: string; readonly key: string };
  readonly state: string;
  readonly status: string;
  readonly queue: { readonly held: number; readonly pending: number; readonly claimed: number };
}

export interface Delivery {
  readonly sequence: number;
  readonly kind: string;
  readonly state: string;
  readonly outcome: string | null;
}

export interface Turn {
  readonly id: string;
  readonly state: string;
  readonly from_sequence: number;
  readonly to_sequence: number;
  readonly result: string | null;
  readonly error: string | null;
  readonly started_at: string;
  readonly ended_at: string | null;
}

export interface Receipt {
  readonly id: string;
  readonly disposition: string;
}

interface Page<T> {
  readonly items: readonly T[];
  readonly next_cursor: string | null;
}

const PAGE = 200;

/** Reads what the server holds, as any other program of its users would. */
export class Ledger {
  constructor(private readonly api: AdminApi) {}

  conversation(id: string): Promise<Conversation> {
    return this.api.get(`/v1/conversations/${id}`);
  }

  conversations(): Promise<Conversation[]> {
    return this.all('/v1/conversations');
  }

  receipts(): Promise<Receipt[]> {
    return this.all('/v1/receipts');
  }

  /** Oldest first. */
  async deliveriesOf(conversation: string): Promise<Delivery[]> {
    const deliveries = await this.all<Delivery>(`/v1/conversations/${conversation}/deliveries`);
    return deliveries.sort((a, b) => a.sequence - b.sequence);
  }

  /** Oldest first. */
  async turnsOf(conversation: string): Promise<Turn[]> {
    const turns = await this.all<Turn>(`/v1/conversations/${conversation}/turns`);
    return turns.reverse();
  }

  private async all<T>(path: string): Promise<T[]> {
    const items: T[] = [];
    let cursor: string | null = null;
    do {
      const page: Page<T> = await this.api.get(`${path}?limit=${PAGE}${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`);
      items.push(...page.items);
      cursor = page.next_cursor;
    } while (cursor !== null);
    return items;
  }
}
