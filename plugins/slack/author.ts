import type { Author } from 'throughline/plugin';
import { type Fields, fields, slackId, word } from './json.js';
import type { SlackConnection } from './slack.options.js';

const SLACKBOT = 'USLACKBOT';

/** Who wrote a message, or nothing when it names nobody. Slack sends ids; a name only where a bot or a profile gives one. */
export function authorOf(message: Fields, body: Fields, options: SlackConnection): Author | undefined {
  const [bot, profile] = [fields(message.bot_profile), fields(message.user_profile)];
  const botId = slackId(message.bot_id) ?? slackId(bot?.id);
  const id = slackId(message.user) ?? botId;
  if (!id) return undefined;
  const name = word(profile?.display_name) ?? word(profile?.real_name) ?? word(message.username) ?? word(bot?.name) ?? id;
  const isSelf = id === options.botUserId || isOwnApp(message, botId, body, options);
  const isBot = isSelf || botId !== undefined || message.subtype === 'bot_message' || id === SLACKBOT;
  return { id, name, isBot, ...(isSelf ? { isSelf } : {}) };
}

/** The app that posted is the one that the event is addressed to, or the configured one. A person cannot post as an app. */
function isOwnApp(message: Fields, botId: string | undefined, body: Fields, { appId }: SlackConnection): boolean {
  const app = slackId(message.app_id) ?? slackId(fields(message.bot_profile)?.app_id);
  return botId !== undefined && app !== undefined && (app === appId || app === body.api_app_id);
}
