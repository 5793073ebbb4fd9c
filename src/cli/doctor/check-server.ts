import { createServer } from 'node:net';
import type { ServerConfig } from '../../config/config.js';
import { isLoopback } from '../../config/resolve/server.js';
import { localUrl } from '../configuration.js';
import { messageOf } from '../exit-code.js';
import { type Finding, fault, ok, warning } from './finding.js';

const TIMEOUT_MS = 3_000;

export async function checkServer(server: ServerConfig): Promise<Finding[]> {
  return [checkPublicUrl(server.publicUrl), await checkPort(server)];
}

function checkPublicUrl(publicUrl: string | null): Finding {
  if (publicUrl === null) {
    return warning(
      'Public URL',
      'not set',
      'Set server.publicUrl to the address under which providers reach this server, as your tunnel or proxy gives it.',
    );
  }
  const { protocol, hostname } = new URL(publicUrl);
  if (isLoopback(hostname.replace(/^\[|\]$/g, ''))) {
    return warning(
      'Public URL',
      `${publicUrl} is this machine alone`,
      'Providers cannot reach it: set server.publicUrl to what your tunnel or proxy gives.',
    );
  }
  if (protocol === 'https:') return ok('Public URL', publicUrl);
  return warning(
    'Public URL',
    `${publicUrl} is not encrypted`,
    'Use https: secrets and events would be readable on their way, and most providers refuse http.',
  );
}

async function checkPort(server: ServerConfig): Promise<Finding> {
  if (server.port === 0) return ok('Port', 'a free one, taken at the start');
  const url = localUrl(server);
  const answer = await askReadiness(url);
  if (answer === null) return tryPort(server);
  if (answer.status === 200 && answer.isOurs) return ok('Server', `running and ready on ${url}`);
  if (answer.isOurs)
    return fault(
      'Server',
      `running on ${url}, but not ready: ${answer.text}`,
      'Wait until it has started; if it stays so, look at its log.',
    );
  return fault('Port', `something else answers on ${url}`, 'Stop it, or set another server.port.');
}

interface Readiness {
  readonly status: number;
  readonly isOurs: boolean;
  readonly text: string;
}

/** What the server on the port says of itself; null when nobody speaks HTTP there. */
async function askReadiness(url: string): Promise<Readiness | null> {
  try {
    const response = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'manual' });
    const text = (await response.text()).slice(0, 200);
    return { status: response.status, isOurs: isReport(text) && [200, 503].includes(response.status), text };
  } catch {
    return null;
  }
}

function isReport(text: string): boolean {
  return text.startsWith('{') && text.includes('"status"');
}

/** Listens for a moment: only that says whether the port can be had. */
function tryPort({ host, port }: ServerConfig): Promise<Finding> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error) =>
      resolve(
        fault('Port', `${host}:${port} cannot be listened on: ${messageOf(error)}`, 'Stop what uses it, or set another server.port.'),
      ),
    );
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(ok('Port', `${host}:${port} is free`))));
  });
}
