import { type AttachmentPlace, type AttachmentReference, type AttachmentSource, type Connection, ProviderFault } from 'throughline/plugin';
import type { Clients } from './clients.js';
import type { DiscordConnection } from './discord.options.js';
import { DiscordFailure } from './failure.js';
import { type Fields, fields, known, list, snowflake, word } from './json.js';

const CDN = ['https://cdn.discordapp.com', 'https://media.discordapp.net'];
const REFERENCE = /^(\d{1,20})\/(\d{1,20})\/(\d{1,20})$/;
const MOST_FILES = 20;

/** The files of a message. Their addresses expire within a day, so that what is kept is where they are found again. */
export function attachmentsOf(message: Fields, messageKey: string): { attachments?: readonly AttachmentReference[] } {
  const attachments = list(message.attachments)
    .flatMap((file): AttachmentReference[] => {
      const id = snowflake(file.id);
      if (id === undefined) return [];
      return [{ reference: `${messageKey}/${id}`, name: word(file.filename) ?? id, ...known({ mime: word(file.content_type) }) }];
    })
    .slice(0, MOST_FILES);
  return attachments.length === 0 ? {} : { attachments };
}

/** The message is read again: it tells the address of the file as it holds now. Nobody has to show a token there. */
export class DiscordAttachments implements AttachmentSource<DiscordConnection> {
  constructor(private readonly clients: Clients) {}

  async locate(
    { reference }: AttachmentReference,
    connection: Connection<DiscordConnection>,
    signal: AbortSignal,
  ): Promise<AttachmentPlace> {
    const { token, apiUrl } = connection.options;
    const [, channel, message, id] = REFERENCE.exec(reference) ?? [];
    if (id === undefined) throw new ProviderFault(`${reference} names no file of a message`, 'permanent');
    if (token === undefined)
      throw new ProviderFault(`connections.${connection.name} has no \`token\` to ask for the file with`, 'permanent');
    const client = await this.clients.of(connection);
    const read = await client.ask({ method: 'GET', path: `/channels/${channel}/messages/${message}`, signal }).catch(fault);
    const file = list(fields(read)?.attachments).find((each) => each.id === id);
    const url = word(file?.url);
    if (url === undefined) throw new ProviderFault('the message has this file no more', 'permanent');
    return {
      ...{ url, origins: [...CDN, ...(apiUrl === undefined ? [] : [new URL(apiUrl).origin])] },
      ...known({ size: typeof file?.size === 'number' ? file.size : undefined, mime: word(file?.content_type) }),
    };
  }
}

function fault(error: unknown): never {
  if (!(error instanceof DiscordFailure)) throw error;
  const kind = error.kind === 'refused' ? 'permanent' : 'transient';
  throw new ProviderFault(`Discord does not show the message of the file: ${error.message}`, kind, null, { cause: error });
}
