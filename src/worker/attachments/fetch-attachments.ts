import path from 'node:path';
import type { DeliveryContent } from '../../core/deliveries/deliveries.js';
import {
  type AttachmentReference,
  type AttachmentSource,
  type Connection,
  type Parsed,
  ProviderFault,
  type TurnAttachment,
  type TurnMessage,
} from '../../plugin/index.js';
import type { Providers } from '../providers.js';
import { makeAttachmentFolder, UnsafeFolder } from './attachment-folder.js';
import { download, NotFetched } from './download.js';
import { safeName } from './safe-name.js';

export interface AttachmentLimits {
  /** Bytes of one file, and of all that one call fetches. */
  readonly fileBytes: number;
  readonly totalBytes: number;
  /** Files of one message. */
  readonly files: number;
  readonly fileMs: number;
  readonly totalMs: number;
}

const MB = 1024 * 1024;
const LIMITS: AttachmentLimits = { fileBytes: 20 * MB, totalBytes: 100 * MB, files: 20, fileMs: 30_000, totalMs: 120_000 };
const SHOWN_NAME = 100;
const SHOWN_REASON = 300;

export interface FetchContext {
  readonly providers: Providers;
  /** Absolute path of the folder that the turn works in. */
  readonly workspace: string;
  /** Milliseconds. */
  readonly keptForMs: number;
  readonly limits?: Partial<AttachmentLimits>;
}

/**
 * Fetches the files of messages into the workspace of their conversation. What cannot be had is told in the text of its message, and fails
 * nothing. Throws only when the signal aborts.
 */
export async function fetchAttachments(
  messages: readonly TurnMessage[],
  contents: readonly DeliveryContent[],
  context: FetchContext,
  signal: AbortSignal,
): Promise<TurnMessage[]> {
  let fetching: Fetching | null = null;
  const fetched: TurnMessage[] = [];
  for (const [index, message] of messages.entries()) {
    const content = contents[index];
    const references = content === undefined ? [] : referencesOf(content);
    if (content === undefined || references.length === 0) {
      fetched.push(message);
      continue;
    }
    fetching ??= new Fetching(context, signal);
    fetched.push(await fetching.all(message, content, references));
  }
  return fetched;
}

/** Hardly any message has files, and each is read on the way to its turn already. */
function referencesOf({ parsed }: DeliveryContent): readonly AttachmentReference[] {
  if (!parsed.includes('"attachments"')) return [];
  const said = JSON.parse(parsed) as Parsed;
  return said.kind === 'prompt' ? (said.attachments ?? []) : [];
}

interface Source {
  readonly attachments: AttachmentSource;
  readonly connection: Connection;
}

/** What is fetched for one turn shares its room and its time. */
class Fetching {
  private readonly limits: AttachmentLimits;
  private readonly until: AbortSignal;
  private leftBytes: number;

  constructor(
    private readonly context: FetchContext,
    private readonly signal: AbortSignal,
  ) {
    this.limits = { ...LIMITS, ...context.limits };
    this.leftBytes = this.limits.totalBytes;
    this.until = AbortSignal.timeout(this.limits.totalMs);
  }

  async all(message: TurnMessage, content: DeliveryContent, references: readonly AttachmentReference[]): Promise<TurnMessage> {
    const found = this.context.providers.find(content.org, content.source);
    const attachments: TurnAttachment[] = [];
    const failures: string[] = [];
    const taken = new Set<string>();
    let folder: string | null = null;
    for (const [index, reference] of references.entries()) {
      try {
        if (index >= this.limits.files) throw new NotFetched(`${this.limits.files} files of a message are fetched at most`);
        if (found?.provider.attachments === undefined) throw new NotFetched(`the connection ${content.source} fetches no files`);
        folder ??= await makeAttachmentFolder(this.context.workspace, message.delivery, this.context.keptForMs);
        const name = safeName(reference.name, taken);
        taken.add(name.toLowerCase());
        const source = { attachments: found.provider.attachments, connection: found.connection };
        attachments.push(await this.one(reference, source, name, folder));
      } catch (error) {
        this.signal.throwIfAborted();
        failures.push(failureText(reference, this.reasonOf(error)));
      }
    }
    return { ...message, text: [message.text, ...failures].join('\n'), attachments };
  }

  private async one(reference: AttachmentReference, source: Source, name: string, folder: string): Promise<TurnAttachment> {
    if (this.leftBytes <= 0) throw new NotFetched('the files before it have used up what may be fetched for one turn');
    const signal = AbortSignal.any([this.signal, this.until, AbortSignal.timeout(this.limits.fileMs)]);
    const place = await orAborted(source.attachments.locate(reference, source.connection, signal), signal);
    const file = path.join(folder, name);
    const { size, mime } = await download(place, file, Math.min(this.limits.fileBytes, this.leftBytes), signal);
    this.leftBytes -= size;
    return { name, mime: mime ?? reference.mime ?? null, size, path: file };
  }

  /** Words of ours and of plugins, never those of whatever was thrown. */
  private reasonOf(error: unknown): string {
    if (error instanceof NotFetched || error instanceof UnsafeFolder || error instanceof ProviderFault) return error.message;
    if (this.until.aborted) return `all files of a turn are fetched within ${this.limits.totalMs / 1000} s, and the time is up`;
    const { name, code, cause } = (error ?? {}) as { name?: unknown; code?: unknown; cause?: { code?: unknown } };
    if (name === 'TimeoutError') return `it did not come within ${this.limits.fileMs / 1000} s`;
    const why = [code, cause?.code].find((each) => typeof each === 'string' && /^[A-Z_0-9]{3,40}$/.test(each));
    return `it could not be had${typeof why === 'string' ? ` (${why})` : ''}`;
  }
}

/** A plugin that does not heed its signal is no longer waited for. */
async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function failureText({ name }: AttachmentReference, reason: string): string {
  const shown = oneLine(name, SHOWN_NAME);
  return `(The attached file ${shown === '' ? 'without a name' : `"${shown}"`} was not fetched: ${oneLine(reason, SHOWN_REASON)}.)`;
}

function oneLine(text: string, most: number): string {
  const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return Array.from(line.toWellFormed()).slice(0, most).join('').replace(/\.$/, '');
}
