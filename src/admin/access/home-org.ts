/** The organisation of those who name none: `default`, or the first one where the configuration has no such. */
export function homeOrg(orgs: readonly string[]): string {
  return orgs.includes('default') ? 'default' : (orgs[0] ?? 'default');
}
