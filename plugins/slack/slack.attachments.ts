import {
  type AttachmentPlace,
  type AttachmentReference,
  type AttachmentSource,
  ChannelFault,
  type Connection,
  ProviderFault,
} from 'throughline/plugin';
import { type Fields, fields, known, list, slackId, word } from './json.js';
import { callSlack } from './slack.client.js';
import type { SlackConnection } from './slack.options.js';

/** Where Slack keeps what was uploaded; files that lie elsewhere (`mode: external`) are none of its own. */
const FILES = 'https://files.slack.com';
const MOST_FILES = 20;
/** Named in messages, and not to be had: deleted, beyond the history that is paid for, or a link to another service. */
const EMPTY: ReadonlySet<unknown> = new Set(['tombstone', 'hidden_by_limit', 'external']);

/** The files that were uploaded with a message. */
export function attachmentsOf(message: Fields): { attachments?: readonly AttachmentReference[] } {
  const attachments = list(message.files)
    .flatMap((file): AttachmentReference[] => {
      const id = slackId(file.id);
      if (id === undefined || EMPTY.has(file.mode)) return [];
      return [{ reference: id, name: word(file.name) ?? word(file.title) ?? id, ...known({ mime: word(file.mimetype) }) }];
    })
    .slice(0, MOST_FILES);
  return attachments.length === 0 ? {} : { attachments };
}

/** `files.info` says where a file is; it comes to whoever shows the bot's token there, which needs the scope `files:read`. */
export class SlackAttachments implements AttachmentSource<SlackConnection> {
  async locate({ reference }: AttachmentReference, connection: Connection<SlackConnection>, signal: AbortSignal): Promise<AttachmentPlace> {
    const { token, apiUrl } = connection.options;
    if (token === undefined) throw new ProviderFault(`connections.${connection.name} has no \`token\` to fetch files with`, 'permanent');
    const file = fields((await asked(reference, connection, signal)).file) ?? {};
    const url = word(file.url_private_download) ?? word(file.url_private);
    if (url === undefined) throw new ProviderFault('Slack gives no address of the file', 'permanent');
    return {
      ...{ url, headers: { authorization: `Bearer ${token}` } },
      origins: [FILES, ...(apiUrl === undefined ? [] : [new URL(apiUrl).origin])],
      // Without the scope Slack answers with a page to sign in, which has another length.
      ...known({ size: typeof file.size === 'number' ? file.size : undefined, mime: word(file.mimetype) }),
    };
  }
}

async function asked(file: string, connection: Connection<SlackConnection>, signal: AbortSignal): Promise<Fields> {
  try {
    return await callSlack('read', 'files.info', { file }, connection, signal);
  } catch (error) {
    if (error instanceof ChannelFault) throw new ProviderFault(error.message, 'permanent', null, { cause: error });
    throw error;
  }
}
