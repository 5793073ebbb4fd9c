import type { Config } from '../config/config.js';
import { type EventSource, EventSources } from '../ingress/event-source.js';
import type { PluginRegistry } from '../plugin-host/plugin-registry.js';
import type { ConfiguredConnection } from './configured-host.js';

const DEFAULT_BODY_LIMIT = 1024 * 1024;

/** The connections as the event endpoint finds them, from memory. */
export class ConfiguredSources extends EventSources {
  private readonly sources: ReadonlyMap<string, EventSource>;

  constructor(config: Config, connections: readonly ConfiguredConnection[], registry: PluginRegistry) {
    super();
    this.sources = new Map(connections.flatMap((each) => sourceOf(config, each, registry)));
  }

  find(org: string, name: string): EventSource | null {
    return this.sources.get(`${org}/${name}`) ?? null;
  }
}

/** None for a plugin without webhooks. */
function sourceOf(config: Config, { settings, connection }: ConfiguredConnection, registry: PluginRegistry): [string, EventSource][] {
  const { transports, subjects } = registry.get(settings.plugin);
  const transport = transports.find((each) => each.kind === 'webhook');
  if (!transport) return [];
  const { bodyLimit, acceptLateMs, rate, insecure, org, name, plugin } = settings;
  const source: EventSource = {
    ...{ connection, transport, subjects, rate, insecure, provider: plugin },
    bodyLimit: bodyLimit ?? config.server.bodyLimit ?? transport.bodyLimit ?? DEFAULT_BODY_LIMIT,
    acceptLateMs: acceptLateMs ?? transport.acceptLateMs ?? 0,
  };
  return [[`${org}/${name}`, source]];
}
