import { ConfigFault } from 'throughline/plugin';
import { type Fields, fields, slackId } from './json.js';
import { type Ask, pages } from './slack.reading.js';

/** Where the app is installed, and what its bot may read there. */
export interface Installation {
  readonly user: string;
  readonly bot: string | undefined;
  readonly team: string | undefined;
  readonly enterprise: string | undefined;
  /** For a whole Enterprise organisation, in all of its workspaces. */
  readonly isOrgWide: boolean;
  /** Null: Slack does not say. */
  readonly scopes: ReadonlySet<string> | null;
}

export interface Channel {
  readonly id: string;
  readonly type: ChannelType;
  /** With other companies, through Slack Connect. */
  readonly isShared: boolean;
}

type ChannelType = 'channel' | 'group' | 'mpim' | 'im';

/** Kinds of conversations, as the Web API names them, with the part of the scopes that is about them. */
export const KINDS = [
  ['public_channel', 'channels'],
  ['private_channel', 'groups'],
  ['mpim', 'mpim'],
  ['im', 'im'],
] as const;

export async function readInstallation(ask: Ask): Promise<Installation> {
  const answer = await ask('auth.test', {});
  const user = slackId(answer.user_id);
  if (user === undefined) throw new Error('Slack did not say whose token it is');
  const scopes = fields(answer.response_metadata)?.scopes;
  return {
    user,
    bot: slackId(answer.bot_id),
    team: slackId(answer.team_id),
    enterprise: slackId(answer.enterprise_id),
    isOrgWide: answer.is_enterprise_install === true,
    scopes: Array.isArray(scopes) ? new Set(scopes.filter((scope) => typeof scope === 'string')) : null,
  };
}

/** The channels that the bot is in and may read, in one order. */
export async function channelsOf(ask: Ask, installation: Installation): Promise<Channel[]> {
  const types = readableTypes(installation);
  const channels = new Map<string, Channel>();
  for (const team of await teamsOf(ask, installation)) {
    const about = { types, exclude_archived: true, ...(team !== null && { team_id: team }) };
    for await (const channel of pages(ask, 'users.conversations', about, 'channels')) {
      const id = slackId(channel.id);
      if (id !== undefined) channels.set(id, { id, type: typeOf(channel), isShared: channel.is_ext_shared === true });
    }
  }
  return [...channels.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

function readableTypes({ scopes }: Installation): string {
  const readable = KINDS.filter(([, part]) => scopes === null || (scopes.has(`${part}:history`) && scopes.has(`${part}:read`)));
  if (readable.length > 0) return readable.map(([type]) => type).join(',');
  throw new ConfigFault(
    'what was missed cannot be asked for: add the bot scopes channels:read and channels:history (groups:…, im:…, mpim:… for others) and reinstall the app',
  );
}

/** Null: the workspace of the token itself. */
async function teamsOf(ask: Ask, { isOrgWide }: Installation): Promise<(string | null)[]> {
  if (!isOrgWide) return [null];
  const teams: string[] = [];
  for await (const { id } of pages(ask, 'auth.teams.list', {}, 'teams')) {
    const team = slackId(id);
    if (team !== undefined) teams.push(team);
  }
  return teams;
}

function typeOf({ is_im, is_mpim, is_private, is_group }: Fields): ChannelType {
  if (is_im === true) return 'im';
  if (is_mpim === true) return 'mpim';
  return is_private === true || is_group === true ? 'group' : 'channel';
}
