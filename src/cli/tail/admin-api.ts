import { readFileSync } from 'node:fs';
import type { ConfigOption } from '../config-option.js';
import { adminTokenFile, configurationOf, localUrl } from '../configuration.js';
import { messageOf } from '../exit-code.js';
import type { Terminal } from '../terminal.js';
import { UsageFault } from '../usage-fault.js';

export interface AdminApiOptions extends ConfigOption {
  readonly url?: string;
  readonly token?: string;
}

/** Nobody answered. What was refused is another error, and asking again would not help. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

const TIMEOUT_MS = 30_000;

/** Reads of the admin API with one token. */
export class AdminApi {
  constructor(
    private readonly url: string,
    private readonly token: string,
    private readonly signal: AbortSignal,
  ) {}

  /** Throws `Unreachable` when nobody answers, and an error in the server's words when it refuses. */
  async get<T>(path: string): Promise<T> {
    const response = await this.fetch(`${this.url}${path}`);
    if (response.ok) return (await response.json()) as T;
    const { detail, title } = (await response.json().catch(() => ({}))) as { detail?: string; title?: string };
    const hint = response.status === 401 ? '; `throughline token create --role viewer` makes a token' : '';
    throw new Error(`${this.url} answered ${response.status}: ${(detail ?? title ?? response.statusText).replace(/\.$/, '')}${hint}`);
  }

  private async fetch(url: string): Promise<Response> {
    try {
      const signal = AbortSignal.any([this.signal, AbortSignal.timeout(TIMEOUT_MS)]);
      return await fetch(url, { headers: { authorization: `Bearer ${this.token}`, accept: 'application/json' }, signal });
    } catch (cause) {
      throw new Unreachable(`${this.url} cannot be reached: ${messageOf(cause)}; is the server running? \`throughline start\` starts it`, {
        cause,
      });
    }
  }
}

/** The API of the server that the options name, else of the one that the configuration describes. */
export async function adminApiOf(options: AdminApiOptions, terminal: Terminal, signal: AbortSignal): Promise<AdminApi> {
  const given = options.token ?? (terminal.env.THROUGHLINE_ADMIN_TOKEN || undefined);
  if (options.url !== undefined && given !== undefined) return new AdminApi(addressOf(options.url), given, signal);
  const { config } = await configurationOf(terminal, options);
  const token = given ?? tokenIn(adminTokenFile(config.dataDir));
  return new AdminApi(addressOf(options.url ?? localUrl(config.server)), token, signal);
}

function addressOf(url: string): string {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url.replace(/\/+$/, '');
  throw new UsageFault(`--url: \`${url}\` is no http or https address; for example http://127.0.0.1:8787`);
}

function tokenIn(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (cause) {
    const help = 'make one with `throughline token create --role viewer`, and give it with --token or THROUGHLINE_ADMIN_TOKEN';
    throw new UsageFault(`there is no token for the admin API (${file} cannot be read); ${help}`, { cause });
  }
}
