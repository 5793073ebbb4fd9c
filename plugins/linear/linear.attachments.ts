import { type AttachmentPlace, type AttachmentReference, type AttachmentSource, type Connection, ProviderFault } from 'throughline/plugin';
import type { LinearConnection } from './linear.options.js';

const UPLOADS = 'https://uploads.linear.app';
const LINKED = /\]\((https?:\/\/[^\s()]{1,1500})\)/g;
const LONGEST_LABEL = 200;
const MOST_FILES = 20;

/** Files are links in the Markdown of what was written: `![screen.png](https://uploads.linear.app/…)`. */
export function attachmentsOf(text: string, options: LinearConnection): { attachments?: readonly AttachmentReference[] } {
  const found = new Map<string, AttachmentReference>();
  for (const { 1: reference = '', index } of text.matchAll(LINKED)) {
    if (found.size === MOST_FILES) break;
    if (!isUpload(reference, options)) continue;
    const before = text.slice(Math.max(0, index - LONGEST_LABEL), index);
    const label = before.slice(before.lastIndexOf('[') + 1).trim();
    if (!found.has(reference)) found.set(reference, { reference, name: label || (reference.split('/').at(-1) ?? 'file') });
  }
  return found.size === 0 ? {} : { attachments: [...found.values()] };
}

/** What was uploaded comes to whoever shows the connection's token: https://linear.app/developers/file-storage-authentication */
export class LinearAttachments implements AttachmentSource<LinearConnection> {
  async locate({ reference }: AttachmentReference, { name, options }: Connection<LinearConnection>): Promise<AttachmentPlace> {
    const { token } = options;
    if (token === undefined) throw new ProviderFault(`connections.${name} has no \`token\` to fetch files with`, 'permanent');
    if (!isUpload(reference, options)) throw new ProviderFault('it was not uploaded to Linear', 'permanent');
    const authorization = token.startsWith('lin_api_') ? token : `Bearer ${token}`;
    return { url: reference, headers: { authorization }, origins: originsOf(options) };
  }
}

function isUpload(address: string, options: LinearConnection): boolean {
  const url = URL.parse(address);
  return url !== null && url.username === '' && originsOf(options).includes(url.origin);
}

function originsOf({ apiUrl }: LinearConnection): string[] {
  return [UPLOADS, ...(apiUrl === undefined ? [] : [new URL(apiUrl).origin])];
}
