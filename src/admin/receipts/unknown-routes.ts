import { routeOfAutomation } from '../../core/automations/automation.js';
import { findAutomation } from '../../core/automations/automations.js';
import type { Database } from '../../database/database.js';
import type { HostView } from '../host-view.js';
import { isUuid } from '../http/ids.js';

/** Those of these names that are neither a route of the organisation nor, as `automation:<id>`, one of its automations. */
export async function unknownRoutes(
  names: readonly string[],
  org: string,
  { host, database }: { readonly host: HostView; readonly database: Database },
): Promise<ReadonlySet<string>> {
  const routes = new Set(host.routes().flatMap((route) => (route.org === org ? [route.name] : [])));
  const others = names.filter((name) => !routes.has(name));
  if (others.length === 0) return new Set();
  const automations = await database.transaction(async (tx) => {
    const found = await Promise.all(others.flatMap((name) => idIn(name) ?? []).map((id) => findAutomation(tx, id)));
    return new Set(found.flatMap((each) => (each?.org === org ? [routeOfAutomation(each.id)] : [])));
  });
  return new Set(others.filter((name) => !automations.has(name)));
}

function idIn(name: string): string | null {
  const id = name.slice(routeOfAutomation('').length);
  return name === routeOfAutomation(id) && isUuid(id) ? id : null;
}
