import { isIP } from 'node:net';
import type { ServerConfig } from '../config.js';
import { bytes, parseSize } from '../units.js';
import type { Scope } from './scope.js';

const NAMED_RANGES: ReadonlySet<string> = new Set(['loopback', 'linklocal', 'uniquelocal']);

export function resolveServer({ file: { server }, faults }: Scope): ServerConfig {
  if (!isLoopback(server.host) && !server.insecureHttp) {
    const message =
      'other machines can reach this address, and the server speaks no TLS: keep `127.0.0.1`, or put a proxy with TLS in front and set `server.insecureHttp: true`';
    faults.push({ path: 'server.host', message });
  }
  server.trustedProxies.forEach((proxy, index) => {
    if (!isProxy(proxy)) faults.push({ path: `server.trustedProxies[${index}]`, message: 'is no IP address and no range of them' });
  });
  return {
    host: server.host,
    port: server.port,
    publicUrl: server.publicUrl?.replace(/\/+$/, '') ?? null,
    bodyLimit: parseSize(server.bodyLimit),
    uploadLimit: bytes(server.uploadLimit),
    trustedProxies: server.trustedProxies,
    replica: server.replica ?? null,
    insecureHttp: server.insecureHttp,
  };
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

function isProxy(proxy: string): boolean {
  if (NAMED_RANGES.has(proxy)) return true;
  const [address = '', bits] = proxy.split('/');
  const version = isIP(address);
  return version !== 0 && (bits === undefined || Number(bits) <= (version === 4 ? 32 : 128));
}
