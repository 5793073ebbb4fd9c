import { ChannelFault, type ChannelState } from 'throughline/plugin';
import { fields, word } from './json.js';

interface Call {
  readonly method: string;
  readonly connection: string;
  /** The scope that Slack says is missing. */
  readonly needed: string | undefined;
}

type Step = (call: Call) => string;

const REINSTALL: Step = ({ connection }) => `reinstall the app and put its new bot token into connections.${connection}.token`;
const ASK_ADMIN: Step = () => 'ask an administrator of the workspace to allow the app to post there';
const SHORTEN: Step = () => 'the message is too long or of a form that Slack does not take';
const ANOTHER_PARENT: Step = () => 'put the id of another channel into control.parent, or restore it';

/** Slack's names of errors, by what they mean for a thread, and what an operator does about them. */
const FAULTS: readonly (readonly [state: ChannelState, step: Step, names: string])[] = [
  ['parent_gone', ANOTHER_PARENT, 'channel_not_found is_archived channel_is_archived'],
  ['forbidden', () => 'invite the bot into the channel (/invite @bot)', 'not_in_channel'],
  [
    'forbidden',
    ({ needed }) => `add the scope ${needed ?? 'that the method needs'} to the app and reinstall it`,
    'missing_scope no_permission not_allowed_token_type',
  ],
  [
    'forbidden',
    REINSTALL,
    `token_revoked token_expired account_inactive invalid_auth not_authed org_login_required team_access_not_granted access_denied
     team_not_found enterprise_is_restricted`,
  ],
  [
    'forbidden',
    ASK_ADMIN,
    `restricted_action restricted_action_read_only_channel restricted_action_thread_only_channel
     restricted_action_non_threadable_channel ekm_access_denied two_factor_setup_required`,
  ],
  ['thread_locked', () => 'unlock the thread, or delete it so that a new one is made', 'restricted_action_thread_locked'],
  ['thread_gone', () => 'a new thread is made', 'thread_not_found invalid_thread_ts cannot_reply_to_message'],
  [
    'message_gone',
    () => 'the message is posted anew',
    'message_not_found edit_window_closed cant_update_message bad_timestamp no_item_specified',
  ],
  [
    'refused',
    SHORTEN,
    `msg_too_long msg_blocks_too_long no_text invalid_blocks invalid_blocks_format invalid_arguments invalid_args metadata_too_large
     invalid_metadata_format invalid_metadata_schema metadata_must_be_sent_from_app`,
  ],
  ['too_many_threads', () => 'Slack takes no further messages for now; delete old threads', 'message_limit_exceeded'],
];

const BY_NAME: ReadonlyMap<string, readonly [ChannelState, Step]> = new Map(
  FAULTS.flatMap(([state, step, names]) => names.split(/\s+/).map((name) => [name, [state, step]] as const)),
);

/** Answers by which Slack does not say whether the call took effect. */
const UNSURE: ReadonlySet<string> = new Set(['fatal_error', 'internal_error', 'request_timeout']);
const LIMITED: ReadonlySet<string> = new Set(['ratelimited', 'rate_limited']);
const AWAY: ReadonlySet<string> = new Set(['service_unavailable', 'team_added_to_org', 'accesslimited']);
const LIMITED_PAUSE_MS = 30_000;

/** Why a call was surely not carried out; null: the answer does not say so. */
export function faultNamed(name: string, call: Call, cause: unknown): ChannelFault | null {
  if (UNSURE.has(name) || !/^\w{1,100}$/.test(name)) return null;
  if (LIMITED.has(name)) return fault('rate_limited', name, call, 'it is sent later', cause, LIMITED_PAUSE_MS);
  if (AWAY.has(name)) return fault('unavailable', name, call, 'it is tried again', cause);
  const [state, step] = BY_NAME.get(name) ?? ['refused', () => 'see https://docs.slack.dev/reference/methods for what it means'];
  return fault(state, name, call, step(call), cause);
}

/** Slack's own name of a refusal that became a fault here. */
export function answeredName(error: unknown): string | undefined {
  return error instanceof ChannelFault ? word(fields(fields(error.cause)?.data)?.error) : undefined;
}

function fault(
  state: ChannelState,
  name: string,
  call: Call,
  step: string,
  cause: unknown,
  retryAfterMs: number | null = null,
): ChannelFault {
  return new ChannelFault(state, `Slack answered ${name} to ${call.method}: ${step}`, retryAfterMs, { cause });
}
