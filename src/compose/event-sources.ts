import type { Config, ConnectionConfig } from '../config/config.js';
import { type EventSource, EventSources } from '../ingress/event-source.js';
import type { WebhookRegistry } from '../ingress/webhooks/webhook-registry.js';
import type { Connection } from '../plugin/index.js';
import type { PluginRegistry } from '../plugin-host/plugin-registry.js';
import type { ConfiguredConnection } from './configured-host.js';

const DEFAULT_BODY_LIMIT = 1024 * 1024;

/** The connections as the event endpoint finds them, and behind them what was made through the API; all from memory. */
export class ConfiguredSources extends EventSources {
  private readonly sources: ReadonlyMap<string, EventSource>;

  constructor(
    config: Config,
    connections: readonly ConfiguredConnection[],
    registry: PluginRegistry,
    private readonly made: Pick<WebhookRegistry, 'find'>,
  ) {
    super();
    this.sources = new Map(
      connections.flatMap(({ settings, connection }) => {
        const source = webhookSource(config, settings, connection, registry);
        return source === null ? [] : [[`${settings.org}/${settings.name}`, source] as const];
      }),
    );
  }

  find(org: string, name: string): EventSource | null {
    return this.sources.get(`${org}/${name}`) ?? this.made.find(org, name);
  }
}

/** Null for a plugin without webhooks. */
export function webhookSource(
  config: Config,
  settings: ConnectionConfig,
  connection: Connection,
  registry: PluginRegistry,
): EventSource | null {
  const { transports, subjects } = registry.get(settings.plugin);
  const transport = transports.find((each) => each.kind === 'webhook');
  if (!transport) return null;
  const { bodyLimit, acceptLateMs, rate, insecure, plugin } = settings;
  return {
    ...{ connection, transport, subjects, rate, insecure, provider: plugin },
    bodyLimit: bodyLimit ?? config.server.bodyLimit ?? transport.bodyLimit ?? DEFAULT_BODY_LIMIT,
    acceptLateMs: acceptLateMs ?? transport.acceptLateMs ?? 0,
  };
}
