/** Names of orgs, connections, runtimes, workspaces and routes. */
export const NAME_PATTERN = '^[a-z0-9]([a-z0-9._-]{0,62}[a-z0-9])?$';

const NAME = new RegExp(NAME_PATTERN);

export const NAME_RULE =
  'must be a name of 1 to 64 lower-case letters, digits, `.`, `_` or `-` that begins and ends with a letter or digit';

export function isName(value: unknown): value is string {
  return typeof value === 'string' && NAME.test(value);
}
