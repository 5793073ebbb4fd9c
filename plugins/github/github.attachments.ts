import {
  type AttachmentPlace,
  type AttachmentReference,
  type AttachmentSource,
  ConfigFault,
  type Connection,
  ProviderFault,
} from 'throughline/plugin';
import { callGithub } from './github.call.js';
import type { GithubConnection } from './github.options.js';
import { Refusal } from './github.refusal.js';
import { at, idAt } from './github.shape.js';

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const IMAGE = new RegExp(`https://github\\.com/user-attachments/assets/(${UUID})`, 'gi');
const REFERENCE = new RegExp(`^(\\d{1,16})/(issues|issues/comments|pulls/comments)/(\\d{1,16})/(${UUID})$`);
/** Images stand there, under addresses that GitHub signs for some minutes when it renders what was written. */
const SIGNED = 'https://private-user-images.githubusercontent.com';
const MOST_FILES = 20;

/** Where what was written can be asked for again, by its event; discussions cannot. */
const PLACES: Readonly<Record<string, readonly [path: string, id: string]>> = {
  issues: ['issues', 'number'],
  pull_request: ['issues', 'number'],
  issue_comment: ['issues/comments', 'id'],
  pull_request_review_comment: ['pulls/comments', 'id'],
};

/** The images that were uploaded into the text of what an event brings. */
export function attachmentsOf(event: string, payload: unknown, source: unknown): { attachments?: readonly AttachmentReference[] } {
  const [path, name] = (Object.hasOwn(PLACES, event) ? PLACES[event] : undefined) ?? [];
  const [repository, body] = [idAt(payload, 'repository.id'), at(source, 'body')];
  const id = name === undefined ? null : idAt(source, name);
  if (path === undefined || repository === null || id === null || typeof body !== 'string') return {};
  const images = new Set([...body.matchAll(IMAGE)].map(([, uuid = '']) => uuid.toLowerCase()));
  const attachments = [...images]
    .slice(0, MOST_FILES)
    .map((uuid) => ({ reference: `${repository}/${path}/${id}/${uuid}`, name: `image-${uuid}` }));
  return attachments.length === 0 ? {} : { attachments };
}

/** An image of a private repository is shown by the address alone that GitHub signs for whoever may read the text. */
export class GithubAttachments implements AttachmentSource<GithubConnection> {
  async locate(
    { reference }: AttachmentReference,
    connection: Connection<GithubConnection>,
    signal: AbortSignal,
  ): Promise<AttachmentPlace> {
    const [, repository, path, id, uuid = ''] = REFERENCE.exec(reference) ?? [];
    if (path === undefined) throw new ProviderFault(`${reference} names no image`, 'permanent');
    const values = { repository: Number(repository), id: Number(id), headers: { accept: 'application/vnd.github.full+json' } };
    const { data } = await callGithub('read', `GET /repositories/{repository}/${path}/{id}`, values, connection, signal).catch(fault);
    const [url] = new RegExp(`${SIGNED}/[^"'<>\\s]*${uuid}[^"'<>\\s]*`, 'i').exec(String(at(data, 'body_html') ?? '')) ?? [];
    if (url === undefined) throw new ProviderFault('GitHub does not show the image in the text any more', 'permanent');
    return { url: url.replaceAll('&amp;', '&'), origins: [SIGNED] };
  }
}

function fault(error: unknown): never {
  if (error instanceof Refusal || error instanceof ConfigFault) throw new ProviderFault(error.message, 'permanent', null, { cause: error });
  throw error;
}
