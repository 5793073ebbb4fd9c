import type { Config, ConnectionConfig } from '../../config/config.js';
import { type Finding, ok, type Section, warning } from './finding.js';

const SHORTEST_SECRET = 16;

/** Where a person enters the address at the provider. */
const ENTERED_AT: Readonly<Record<string, string>> = {
  github: 'at GitHub: Settings › Webhooks › Payload URL, with content type application/json',
  linear: 'at Linear: Settings › API › Webhooks › URL',
  slack: 'at Slack: your app › Event Subscriptions › Request URL',
};

/** Where a person finds the secret at the provider. */
const SECRET_AT: Readonly<Record<string, string>> = {
  github: 'GitHub: Settings › Webhooks › Secret, which you make up yourself, for example with: openssl rand -hex 32',
  linear: 'Linear: Settings › API › Webhooks › Signing secret',
  slack: 'Slack: your app › Basic Information › Signing Secret',
};

export function connectionTitle(name: string): string {
  return `Connection ${name}`;
}

/** Where the secret of a connection comes from, as a sentence's end; null for a provider that is not known here. */
export function secretPlace(plugin: string | undefined): string | null {
  return SECRET_AT[plugin ?? ''] ?? null;
}

/** A section for each connection. `told`: names of those whose secrets are known to be at fault. */
export function checkConnections(config: Config, told: ReadonlySet<string>): Section[] {
  return config.connections.map((connection) => ({
    title: connectionTitle(connection.name),
    findings: [
      ...(told.has(connection.name) ? [] : checkSecrets(connection)),
      webhookUrl(connection, config.server.publicUrl),
      routesOf(connection, config),
    ],
  }));
}

function checkSecrets({ name, secrets, insecure }: ConnectionConfig): Finding[] {
  // Without secrets and without this flag it is a fault of the configuration, which is told already.
  if (insecure && secrets.length === 0) {
    return [
      warning(
        'Secret',
        'none: events of anybody on this machine are believed',
        `Set connections.${name}.secret before others can reach the server.`,
      ),
    ];
  }
  return secrets.map((secret, index) => {
    const label = secrets.length === 1 ? 'Secret' : `Secret ${index + 1}`;
    if (secret !== secret.trim())
      return warning(label, 'begins or ends with a space or a line break', 'Take it away, unless the provider really has it.');
    if (secret.length >= SHORTEST_SECRET) return ok(label, 'set');
    return warning(
      label,
      `set, but shorter than ${SHORTEST_SECRET} characters`,
      'Take one that nobody can guess, here and at the provider: openssl rand -hex 32',
    );
  });
}

function webhookUrl({ name, org, plugin, secrets, options }: ConnectionConfig, publicUrl: string | null): Finding {
  if (plugin === 'slack' && secrets.length === 0 && options.appToken !== undefined)
    return ok('Webhook URL', 'none is needed: its events come over a socket');
  const place = ENTERED_AT[plugin] ?? 'at the provider';
  const path = `/v1/events/${org}/${name}`;
  if (publicUrl === null) return warning('Webhook URL', `<publicUrl>${path}`, `Set server.publicUrl, and enter this address ${place}.`);
  return ok('Webhook URL', `${publicUrl}${path}`, `Enter it ${place}.`);
}

function routesOf({ name, org }: ConnectionConfig, { routes }: Config): Finding {
  const names = routes.filter((route) => route.connection === name && route.org === org).map((route) => route.name);
  if (names.length > 0) return ok('Routes', names.join(', '));
  return warning('Routes', 'none: its events are kept, and no agent is told', `Add a route with \`connection: ${name}\` under routes.`);
}
