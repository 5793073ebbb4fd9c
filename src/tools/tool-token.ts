import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Standing } from '../core/conversations/standings.js';

type Bound = Pick<Standing, 'id' | 'org' | 'ending' | 'cleared_to'>;

const BEARER = /^Bearer +([\x21-\x7e]{1,512})$/i;

/**
 * The bearer token of a conversation's tools. It is made of what it is bound to, so that every replica knows it and no row has to be kept:
 * with an end or a reset the conversation has another one, and the old one is worth nothing.
 */
export function toolToken(key: Buffer, { id, org, ending, cleared_to }: Bound): string {
  const mac = createHmac('sha256', key).update(`mcp:${JSON.stringify([org, id, ending, cleared_to])}`);
  return `tlt_${mac.digest('base64url')}`;
}

/** Whether the header carries the token of this conversation as it stands; one that has ended has none. */
export function isTokenOf(key: Buffer, standing: Standing | null, authorization: string | undefined): standing is Standing {
  const [, given = ''] = BEARER.exec(authorization ?? '') ?? [];
  // Also for one that does not exist: how long the answer takes tells nothing.
  const wanted = Buffer.from(toolToken(key, standing ?? { id: '', org: '', ending: 0, cleared_to: 0 }));
  const sent = Buffer.from(given);
  const isEqual = sent.length === wanted.length && timingSafeEqual(sent, wanted);
  return isEqual && standing?.state === 'open';
}
