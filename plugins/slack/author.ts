import type { Author } from 'throughline/plugin';
import { type Fields, fields, slackId, word } from './json.js';
import type { SlackConnection } from './slack.options.js';
import { isOrgWide, tenantOf } from './tenant.js';

const SLACKBOT = 'USLACKBOT';

/** Who wrote a message, or nothing when it names nobody. Slack sends ids; a name only where a bot or a profile gives one, and as they like. */
export function authorOf(message: Fields, body: Fields, options: SlackConnection): Author | undefined {
  const [bot, profile] = [fields(message.bot_profile), fields(message.user_profile)];
  const botId = slackId(message.bot_id) ?? slackId(bot?.id);
  const id = slackId(message.user) ?? botId;
  if (!id) return undefined;
  const name = word(profile?.display_name) ?? word(profile?.real_name) ?? word(message.username) ?? word(bot?.name) ?? id;
  const isSelf = id === options.botUserId || isOwnApp(message, botId, body, options);
  const isBot = isSelf || botId !== undefined || message.subtype === 'bot_message' || id === SLACKBOT;
  return { id, name, handle: null, isBot, ...(isSelf ? { isSelf } : {}), ...rolesOf(message, body) };
}

/**
 * In a channel shared through Slack Connect people of other companies write, too: `member` or `external`. Nothing where Slack does not say
 * whose they are.
 */
function rolesOf(message: Fields, body: Fields): { roles?: readonly string[] } {
  if (body.is_ext_shared_channel === false) return { roles: ['member'] };
  const team = slackId(message.user_team) ?? slackId(message.source_team) ?? slackId(message.team);
  // The tenant of an app that is installed for a whole organisation is no team.
  if (team === undefined || isOrgWide(body)) return {};
  return { roles: [team === tenantOf(body) ? 'member' : 'external'] };
}

/** The app that posted is the one that the event is addressed to, or the configured one. A person cannot post as an app. */
function isOwnApp(message: Fields, botId: string | undefined, body: Fields, { appId }: SlackConnection): boolean {
  const app = slackId(message.app_id) ?? slackId(fields(message.bot_profile)?.app_id);
  return botId !== undefined && app !== undefined && (app === appId || app === body.api_app_id);
}
