import type { AuthenticEvent, Parsed, SubjectParser } from 'throughline/plugin';
import type { DiscordConnection } from './discord.options.js';
import { parseInteraction } from './interaction-events.js';
import { type Fields, fields } from './json.js';
import { parseCreated, parseDeleted, parseEdited } from './message-events.js';
import { isDirect } from './place.js';
import { parseThreadCreated, parseThreadDeleted, parseThreadUpdated } from './thread-events.js';

type Reader = (body: Fields, options: DiscordConnection) => Parsed | undefined;

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['message.created', parseCreated],
  ['message.edited', parseEdited],
  ['message.deleted', parseDeleted],
  ['thread.created', parseThreadCreated],
  ['thread.updated', parseThreadUpdated],
  ['thread.deleted', parseThreadDeleted],
]);

/** From the body of a gateway event, of a message that was asked for, or of an interaction, to the channel or thread that it is about. */
export class DiscordSubjects implements SubjectParser<DiscordConnection> {
  parse({ eventKey, payload, connection }: AuthenticEvent<DiscordConnection>): Parsed {
    const body = fields(payload);
    const read = READERS.get(eventKey) ?? (eventKey.startsWith('interaction.') ? parseInteraction : undefined);
    if (!body) return recorded('invalid_shape');
    if (!read) return recorded('unknown_event');
    if (isDirect(body)) return recorded('direct_message');
    return read(body, connection.options) ?? recorded('invalid_shape');
  }
}

function recorded(reason: string): Parsed {
  return { kind: 'recorded', reason, subject: null };
}
