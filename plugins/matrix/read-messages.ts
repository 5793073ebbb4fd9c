import { type Fields, fields, whole, word } from 'throughline/plugin';
import type { BoundRoom } from './bound-room.js';
import { messageTextOf } from './message-text.js';
import { newestFirst, TooMany } from './own-messages.js';
import { editedBy, isRedacted } from './room-events.js';

const MOST_PAGES = 5;

/** What an agent is shown of a message. */
export interface ShownMessage {
  readonly event_id: string;
  readonly sender: string;
  readonly origin_server_ts: number;
  readonly body: string;
}

/** The newest text messages of a room as they read now, oldest first. */
export async function readMessages(bound: BoundRoom, limit: number, signal: AbortSignal): Promise<readonly ShownMessage[]> {
  const messages: ShownMessage[] = [];
  const edits = new Map<string, string>();
  try {
    for await (const event of newestFirst({ ...bound, signal }, MOST_PAGES)) {
      if (messages.length >= limit) break;
      takeEdit(event, edits);
      const shown = shownOf(event, edits);
      if (shown) messages.push(shown);
    }
  } catch (error) {
    // A room with many images has fewer texts than were asked for in the pages that are read.
    if (!(error instanceof TooMany)) throw error;
  }
  return messages.reverse();
}

/** The newest edit comes first, and an edit before what it changes. */
function takeEdit(event: Fields, edits: Map<string, string>): void {
  const content = fields(event.content) ?? {};
  const [original, text] = [editedBy(content), messageTextOf(fields(content['m.new_content']) ?? {})];
  const key = `${String(event.sender)} ${original}`;
  if (original !== undefined && text !== undefined && !edits.has(key)) edits.set(key, text);
}

function shownOf(event: Fields, edits: ReadonlyMap<string, string>): ShownMessage | undefined {
  const content = fields(event.content) ?? {};
  const [id, sender, sent] = [word(event.event_id), word(event.sender), whole(event.origin_server_ts)];
  if (event.type !== 'm.room.message' || !id || !sender || sent === undefined || isRedacted(event)) return undefined;
  if (editedBy(content) !== undefined || (content.msgtype !== 'm.text' && content.msgtype !== 'm.notice')) return undefined;
  const body = edits.get(`${sender} ${id}`) ?? messageTextOf(content);
  return body === undefined ? undefined : { event_id: id, sender, origin_server_ts: sent, body };
}
