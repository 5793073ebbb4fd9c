import type { ProviderEvent } from 'throughline/plugin';
import { eventKeyOf } from './event-key.js';
import type { Happening } from './history.js';
import type { Channel, Installation } from './installation.js';
import { type Fields, known, slackId, word } from './json.js';
import { parseMessage } from './message-events.js';
import type { SlackConnection } from './slack.options.js';

/**
 * What Slack would have told of it. A history has no event_id: what came live as well is known by its message, which makes no second
 * delivery. Only what may wake an agent is handed over.
 */
export function eventsOf(happening: Happening, channel: Channel, installation: Installation, options: SlackConnection): ProviderEvent[] {
  if (isOwn(happening.message, installation)) return [];
  return bodiesOf(happening, channel, installation, options).flatMap((body) => {
    const parsed = parseMessage(body.event as Fields, body, options);
    if ((parsed?.kind !== 'prompt' && parsed?.kind !== 'edit') || parsed.messageKey === undefined) return [];
    const eventKey = eventKeyOf(body);
    const deliveryId = `history.${eventKey}.${parsed.messageKey}${happening.kind === 'edit' ? `.${happening.at}` : ''}`;
    return [{ deliveryId, eventKey, payload: body, uniqueContent: deliveryId }];
  });
}

/** A mention comes as two events, as it does live; in a direct message nobody has to be mentioned. */
function bodiesOf({ kind, at, message }: Happening, channel: Channel, installation: Installation, { appId }: SlackConnection): Fields[] {
  const place = { channel: channel.id, channel_type: channel.type, event_ts: at };
  const bodyOf = (event: Fields) => ({
    ...known({ team_id: installation.team, api_app_id: appId }),
    ...{ type: 'event_callback', event, event_time: Number.parseInt(at, 10), is_ext_shared_channel: channel.isShared },
    authorizations: [authorization(installation)],
  });
  if (kind === 'edit') return [bodyOf({ type: 'message', subtype: 'message_changed', hidden: true, ...place, ts: at, message })];
  const plain = bodyOf({ ...message, ...place, type: 'message' });
  const isMention = channel.type !== 'im' && mentions(message, installation);
  return isMention ? [bodyOf({ ...message, ...place, type: 'app_mention' }), plain] : [plain];
}

function authorization({ team, enterprise, user, isOrgWide }: Installation): Fields {
  return {
    ...{ enterprise_id: enterprise ?? null, team_id: isOrgWide ? null : (team ?? null) },
    ...{ user_id: user, is_bot: true, is_enterprise_install: isOrgWide },
  };
}

function mentions(message: Fields, { user }: Installation): boolean {
  return new RegExp(`<@${user}(\\|[^>]*)?>`).test(word(message.text) ?? '');
}

function isOwn(message: Fields, { user, bot }: Installation): boolean {
  return message.user === user || (bot !== undefined && slackId(message.bot_id) === bot);
}
