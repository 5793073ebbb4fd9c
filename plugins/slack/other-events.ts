// A channel is no subject: its threads are, and archiving a channel closes none of the matters discussed in it.
const TYPES_BY_REASON = {
  channel_event: `channel_archive channel_unarchive channel_rename channel_deleted channel_created channel_left channel_history_changed
    channel_id_changed channel_shared channel_unshared group_archive group_unarchive group_rename group_deleted group_left group_history_changed
    group_open group_close`,
  membership: 'member_joined_channel member_left_channel team_join user_change',
  reaction: 'reaction_added reaction_removed',
  app_event: `app_home_opened app_installed app_requested app_uninstalled app_uninstalled_team tokens_revoked team_access_granted
    team_access_revoked scope_granted scope_denied function_executed workflow_step_execute assistant_thread_started
    assistant_thread_context_changed`,
};

const REASONS: ReadonlyMap<string, string> = new Map(
  Object.entries(TYPES_BY_REASON).flatMap(([reason, types]) => types.split(/\s+/).map((type) => [type, reason] as const)),
);

/** Why an event that is no message is kept for the record alone. */
export function reasonOfOther(type: string): string {
  return REASONS.get(type) ?? 'unknown_event';
}
