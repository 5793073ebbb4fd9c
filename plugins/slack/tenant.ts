import { type Fields, list, slackId } from './json.js';

/**
 * The workspace that installed the app, not the one that an author of a shared channel belongs to: the outer `team_id` may be the other side's.
 * An installation for a whole Enterprise organisation names no workspace: then the organisation is the tenant, in all of its workspaces.
 */
export function tenantOf(body: Fields): string | undefined {
  const installation = list(body.authorizations)[0];
  return (
    slackId(installation?.team_id) ??
    (installation?.is_enterprise_install === true ? slackId(installation.enterprise_id) : undefined) ??
    slackId(body.context_team_id) ??
    slackId(body.team_id)
  );
}

export function isOrgWide(body: Fields): boolean {
  return list(body.authorizations)[0]?.is_enterprise_install === true;
}
