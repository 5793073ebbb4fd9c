import { createHmac, randomUUID } from 'node:crypto';
import type { Answer } from '../fault-server.js';
import { refusal } from './door.js';
import type { Json } from './repository.js';

export interface Delivered {
  readonly guid: string;
  /** 0: nobody answered. */
  readonly status: number;
  readonly answer: Json | null;
}

interface Attempt {
  readonly id: bigint;
  readonly guid: string;
  /** Tests may have it happen at another time. */
  delivered_at: string;
  readonly redelivery: boolean;
  readonly status: string;
  readonly status_code: number;
  readonly event: string;
  readonly action: unknown;
  readonly url: string;
  readonly payload: Json;
}

/** A webhook: what it posted where, and what came of it, as GitHub's list of deliveries tells. */
export class Hook {
  /** Oldest first. */
  readonly attempts: Attempt[] = [];
  url = '';
  /** GitHub's ids of deliveries have more digits than a number. */
  private lastId = 9_007_199_254_740_993n;

  constructor(
    readonly secret: string,
    private readonly now: () => number,
  ) {}

  /** Posts an event, once, as GitHub does; a guid that was there before is a redelivery. */
  async deliver(event: string, payload: Json, guid: string = randomUUID()): Promise<Delivered> {
    const body = JSON.stringify(payload);
    const headers = {
      'content-type': 'application/json',
      'x-github-event': event,
      'x-github-delivery': guid,
      'x-hub-signature-256': `sha256=${createHmac('sha256', this.secret).update(body).digest('hex')}`,
    };
    const delivered_at = new Date(this.now()).toISOString();
    const response = await fetch(this.url, { method: 'POST', headers, body }).catch(() => null);
    const status_code = response?.status ?? 0;
    const answer = (await response?.json().catch(() => null)) as Json | null;
    this.attempts.push({
      ...{ id: this.lastId++, guid, delivered_at, redelivery: this.attempts.some((attempt) => attempt.guid === guid) },
      ...{ status: response?.ok ? 'OK' : 'failed to connect', status_code, event, action: payload.action ?? null, url: this.url, payload },
    });
    return { guid, status: status_code, answer };
  }

  /** Its deliveries, by the path below that of the webhook. */
  answer(rest: string, query: URLSearchParams, origin: string, path: string): Answer {
    const [, id] = /^\/(\d+)$/.exec(rest) ?? [];
    if (id === undefined) return this.list(query, `${origin}${path}`);
    const attempt = this.attempts.find((each) => String(each.id) === id);
    if (attempt === undefined) return refusal(404, 'Not Found');
    const { payload, ...shown } = attempt;
    return { status: 200, body: raw({ ...shown, request: { headers: {}, payload }, response: { headers: {}, payload: '' } }) };
  }

  private list(query: URLSearchParams, address: string): Answer {
    const size = Number(query.get('per_page') ?? 30);
    const from = Number((query.get('cursor') ?? 'v1_0').slice(3));
    const newest = this.attempts.toReversed();
    const shown = newest.slice(from, from + size).map(({ payload: _, url: __, ...attempt }) => attempt);
    const link = `<${address}?per_page=${size}&cursor=v1_${from + size}>; rel="next"`;
    const headers: Record<string, string> = from + size < newest.length ? { link } : {};
    return { status: 200, body: raw(shown), headers };
  }
}

/** JSON with whole numbers of any length. */
function raw(value: unknown): Buffer {
  const text = JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? `bigint:${each}` : each));
  return Buffer.from(text.replace(/"bigint:(\d+)"/g, '$1'));
}
