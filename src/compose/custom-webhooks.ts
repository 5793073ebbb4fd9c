import { Logger } from '@nestjs/common';
import { validateOptions } from '../config/validate-options.js';
import { Signals } from '../core/signals.js';
import { WebhookDesk, WebhookWorld } from '../core/webhooks/webhook-desk.js';
import { fieldOf, optionsOf, type WebhookSettings } from '../core/webhooks/webhook-settings.js';
import type { Webhook } from '../core/webhooks/webhooks.js';
import type { EventSource } from '../ingress/event-source.js';
import { newSecretFor, secretFaultOf } from '../ingress/webhooks/scheme-secrets.js';
import { type WebhookPlace, WebhookRegistry } from '../ingress/webhooks/webhook-registry.js';
import { schemeOf } from '../ingress/webhooks/webhook-scheme.js';
import { type Connection, type Fault, InvalidInput, type PluginDefinition } from '../plugin/index.js';
import { PluginRegistry } from '../plugin-host/plugin-registry.js';
import { webhookSource } from './event-sources.js';
import type { HostParts } from './host-parts.js';

/** The plugin that understands the events of any sender. */
export const WEBHOOK_PLUGIN = 'webhook';

const SETTINGS = { secrets: [], bodyLimit: null, acceptLateMs: null, intervalMs: null, insecure: false, options: {} };
const RATE = { perSecond: 200, burst: 5000 };
/** Names under which the server itself writes receipts. */
const OWN = ['api', 'schedule'];

/** The webhooks that people make through the API: what may be made, and the sources of events that they are. */
export function webhookProviders(parts: HostParts) {
  const { database, encryptionKey } = parts;
  const log = new Logger('Webhooks');
  return [
    { provide: WebhookWorld, useValue: new ConfiguredWebhookWorld(parts) },
    {
      provide: WebhookDesk,
      inject: [Signals, WebhookWorld],
      useFactory: (signals: Signals, world: WebhookWorld) => new WebhookDesk(database, signals, encryptionKey, world),
    },
    {
      provide: WebhookRegistry,
      inject: [Signals, PluginRegistry],
      useFactory: (signals: Signals, registry: PluginRegistry) =>
        new WebhookRegistry(database, signals, encryptionKey, placeOf(parts, registry), {
          unusable: ({ org, source, id }, reason) => log.warn(`webhook ${id} takes nothing at ${org}/${source}: ${reason}`),
          failed: (reason) => log.warn(`webhooks could not be read, and stay what they were for now: ${reason}`),
        }),
    },
  ];
}

function placeOf(parts: HostParts, registry: PluginRegistry): WebhookPlace {
  const { config } = parts;
  const definition = pluginOf(parts);
  return {
    optionsOf: ({ settings }: Webhook) => (definition ? validateOptions(definition.options, optionsOf(settings), '').options : {}),
    sourceOf: (connection: Connection): EventSource | null => {
      if (!definition) return null;
      const { org, name, source } = connection;
      return webhookSource(config, { ...SETTINGS, org, name, source, rate: RATE, plugin: WEBHOOK_PLUGIN }, connection, registry);
    },
    isConfigured: (org, source) => config.connections.some((each) => each.org === org && each.name === source),
  };
}

function pluginOf({ plugins }: Pick<HostParts, 'plugins'>): PluginDefinition | undefined {
  return plugins.find(({ name }) => name === WEBHOOK_PLUGIN);
}

class ConfiguredWebhookWorld extends WebhookWorld {
  constructor(private readonly parts: Pick<HostParts, 'plugins' | 'config'>) {
    super();
  }

  settingsFaults(settings: WebhookSettings): readonly Fault[] {
    const definition = pluginOf(this.parts);
    if (!definition) return [{ path: '', message: 'needs the plugin `webhook`, which `plugins` of the configuration does not name' }];
    const { event_id_header, event_id_expr } = settings;
    const doubled = event_id_header !== undefined && event_id_expr !== undefined;
    const { faults } = validateOptions(definition.options, optionsOf(settings), '', []);
    return [
      ...schemeFaults(settings),
      ...(doubled ? [{ path: 'event_id_expr', message: 'says what `event_id_header` says; write one of them' }] : []),
      // What is wrong with the scheme was told by itself.
      ...faults.map((fault) => named(fault, settings)).filter(({ path }) => path !== 'signature_scheme'),
    ];
  }

  secretFault(settings: WebhookSettings, secret: string): string | null {
    return secretFaultOf(schemeOf(settings), secret);
  }

  newSecret(settings: WebhookSettings): string | null {
    return newSecretFor(schemeOf(settings));
  }

  otherSource(org: string, source: string): string | null {
    if (OWN.includes(source)) return 'what the server itself starts';
    const { connections } = this.parts.config;
    return connections.some((each) => each.org === org && each.name === source) ? 'a connection of the configuration' : null;
  }
}

function schemeFaults(settings: WebhookSettings): readonly Fault[] {
  try {
    schemeOf(settings);
    return [];
  } catch (error) {
    if (error instanceof InvalidInput) return error.faults;
    throw error;
  }
}

function named({ path, message }: Fault, settings: WebhookSettings): Fault {
  return { path: fieldOf(path.replace(/^\./, ''), settings), message };
}
