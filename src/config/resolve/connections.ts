import type { ConnectionConfig } from '../config.js';
import type { ConnectionSection } from '../schema/connection.js';
import { parseDuration, parseSize } from '../units.js';
import { checkPlugin } from './plugins.js';
import { checkOrg, type Scope } from './scope.js';
import { isLoopback } from './server.js';

export function resolveConnections(scope: Scope): ConnectionConfig[] {
  return [...scope.file.connections].map(([name, section]) => resolveConnection(name, section, scope));
}

function resolveConnection(name: string, section: ConnectionSection, scope: Scope): ConnectionConfig {
  const path = `connections.${name}`;
  checkOrg(section.org, path, scope);
  checkPlugin(section.plugin, `${path}.plugin`, scope);
  checkInsecure(section, path, scope);
  return {
    name,
    org: section.org,
    plugin: section.plugin,
    source: section.source,
    secrets: secretsOf(section),
    bodyLimit: parseSize(section.bodyLimit),
    acceptLateMs: parseDuration(section.acceptLate),
    intervalMs: parseDuration(section.interval),
    rate: section.rate === 'off' ? null : { perSecond: section.rate.perSecond, burst: section.rate.burst },
    options: section.rest,
    insecure: section.insecure,
  };
}

/** Events that nobody signed are for a person's own machine alone. */
function checkInsecure(section: ConnectionSection, path: string, { file, faults }: Scope): void {
  if (section.insecure && !isLoopback(file.server.host)) {
    faults.push({ path: `${path}.insecure`, message: 'is allowed only while `server.host` is a loopback address' });
  }
  if (section.rest.signature === 'none' && !section.insecure) {
    faults.push({
      path: `${path}.signature`,
      message: '`none` takes events from anybody; it needs `insecure: true` and a loopback `server.host`',
    });
  }
}

function secretsOf({ secret, secrets = [] }: ConnectionSection): string[] {
  return [...new Set(secret === undefined ? secrets : [secret, ...secrets])];
}
