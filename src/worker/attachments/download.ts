import { type FileHandle, open, unlink } from 'node:fs/promises';
import type { AttachmentPlace } from '../../plugin/index.js';

/** Why a file is not had, in words for its reader. */
export class NotFetched extends Error {
  override readonly name = 'NotFetched';
}

export interface Downloaded {
  /** Bytes. */
  readonly size: number;
  readonly mime: string | null;
}

const MOST_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Fetches a file to a path where nothing is yet. Only the origins of the place are asked, wherever answers lead, and only that of its
 * address is shown its headers. Of a file that could not be had whole nothing is left.
 */
export async function download(place: AttachmentPlace, file: string, most: number, signal: AbortSignal): Promise<Downloaded> {
  if (place.size !== undefined && place.size > most) throw tooBig(place.size, most);
  const answer = await ask(place, signal);
  const target = await open(file, 'wx', 0o600).catch((error: unknown) => {
    discard(answer);
    throw error;
  });
  try {
    const size = await save(answer, target, most);
    if (place.size !== undefined && size !== place.size)
      throw new NotFetched(`${size} bytes came, and it has ${place.size} by its provider's word`);
    return { size, mime: place.mime ?? mimeOf(answer) };
  } catch (error) {
    await unlink(file).catch(() => undefined);
    throw error;
  } finally {
    await target.close();
  }
}

async function ask({ url: first, headers = {}, origins }: AttachmentPlace, signal: AbortSignal): Promise<Response> {
  const home = addressOf(first).origin;
  for (let url = addressOf(first), count = 0; ; count++) {
    if (!origins.includes(url.origin)) throw new NotFetched(`it leads to ${url.origin}, which is no place that its plugin knows`);
    const shown = url.origin === home ? headers : {};
    // Compressed content would tell another length than it has.
    const answer = await fetch(url, { headers: { 'accept-encoding': 'identity', ...shown }, redirect: 'manual', signal });
    if (answer.status === 200) return answer;
    discard(answer);
    const next = REDIRECTS.has(answer.status) ? answer.headers.get('location') : null;
    if (next === null) throw new NotFetched(`${url.origin} answered ${answer.status}`);
    if (count === MOST_REDIRECTS) throw new NotFetched(`${home} leads on and on`);
    url = addressOf(next, url);
  }
}

function addressOf(text: string, base?: URL): URL {
  const url = URL.parse(text, base?.href);
  if (url === null || !/^https?:$/.test(url.protocol)) throw new NotFetched('its address is none');
  return url;
}

async function save(answer: Response, target: FileHandle, most: number): Promise<number> {
  const stated = Number(answer.headers.get('content-length') ?? Number.NaN);
  if (stated > most) {
    discard(answer);
    throw tooBig(stated, most);
  }
  let size = 0;
  // Leaving the loop ends the connection.
  for await (const chunk of answer.body ?? []) {
    size += chunk.length;
    if (size > most) throw tooBig(null, most);
    await target.appendFile(chunk);
  }
  return size;
}

/** `size` null: nobody said how much more. */
function tooBig(size: number | null, most: number): NotFetched {
  const has = size === null ? 'it has more than that' : `it has ${megabytes(size)}`;
  return new NotFetched(`${megabytes(most)} may be fetched, and ${has}`);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

function mimeOf(answer: Response): string | null {
  const [type = ''] = (answer.headers.get('content-type') ?? '').split(';');
  return /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/.test(type.trim()) ? type.trim().toLowerCase() : null;
}

/** Nobody reads it: its connection is given up. */
function discard(answer: Response): void {
  answer.body?.cancel().catch(() => undefined);
}
