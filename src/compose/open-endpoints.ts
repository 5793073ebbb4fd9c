import { Logger } from '@nestjs/common';
import { openEndpoint } from '../core/admission/open-endpoint.js';
import type { Reconciliation } from '../core/controls/reconciliation.js';
import type { Route } from '../core/routing/route.js';
import type { Endpoint } from '../plugin/index.js';
import type { WorkTable } from '../worker/work-table.js';
import type { HostParts } from './host-parts.js';

/** A route that is bound to a place of its connection has its conversation, and the thread of it, before anything was said there. */
export async function openEndpoints(parts: HostParts, table: WorkTable, controls: Reconciliation): Promise<void> {
  for (const route of parts.routes) {
    const endpoint = endpointOf(parts, route);
    if (endpoint === undefined) continue;
    const made = await parts.database.transaction((tx) => openEndpoint(tx, route, endpoint));
    if (made === null) continue;
    new Logger('Server').log(`the conversation of ${route.endpoint} at ${route.source} is open`);
    if (table.placement(route.org, route.workspace) !== null) await controls.reconcile(route.org, made);
  }
}

function endpointOf({ connections, plugins }: HostParts, { org, source, endpoint }: Route): Endpoint | undefined {
  if (endpoint === null) return undefined;
  const found = connections.find(({ connection }) => connection.org === org && connection.name === source);
  const definition = plugins.find(({ name }) => name === found?.settings.plugin);
  return found && definition?.endpoints?.(found.connection).find(({ name }) => name === endpoint);
}
