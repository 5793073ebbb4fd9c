import type { SourceSpec } from '../ingress/sources/source-spec.js';
import type { Transport } from '../plugin/index.js';
import type { PluginRegistry } from '../plugin-host/plugin-registry.js';
import type { ConfiguredConnection } from './configured-host.js';

const DEFAULT_INTERVAL_MS = 5_000;

/** What the connections have to be kept up beside webhooks: streams, pollers, and histories to be asked for what was missed. */
export function sourceSpecs(connections: readonly ConfiguredConnection[], registry: PluginRegistry): SourceSpec[] {
  return connections.flatMap((each) => specsOf(each, registry));
}

/** Names of the leases of a connection's sources. */
export function sourceName(kind: SourceSpec['kind'], { org, name }: { readonly org: string; readonly name: string }): string {
  return `${kind}:${org}/${name}`;
}

function specsOf({ settings, connection }: ConfiguredConnection, registry: PluginRegistry): SourceSpec[] {
  const { transports, subjects, backfill: history } = registry.get(settings.plugin);
  const backfill = history?.usedBy?.(connection) === false ? undefined : history;
  const about = { connection, provider: settings.plugin, subjects };
  const hasHistory = backfill !== undefined;
  const specs = transports.flatMap((transport: Transport): SourceSpec[] => {
    if (transport.kind === 'webhook' || transport.usedBy?.(connection) === false) return [];
    const name = sourceName(transport.kind, connection);
    if (transport.kind === 'stream') return [{ ...about, kind: 'stream', name, transport, hasHistory }];
    return [{ ...about, kind: 'poll', name, transport, intervalMs: settings.intervalMs ?? transport.intervalMs ?? DEFAULT_INTERVAL_MS }];
  });
  if (backfill === undefined) return specs;
  const stream = specs.find(({ kind }) => kind === 'stream')?.name ?? null;
  return [...specs, { ...about, kind: 'backfill', name: sourceName('backfill', connection), backfill, stream }];
}
