import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { ConfigFault } from 'throughline/plugin';
import type { AppIdentity, GithubApi, Tokens } from './github.client.js';
import type { GithubApp } from './github.options.js';
import { type Barrier, Refusal, refusalOf } from './github.refusal.js';
import { at, idAt } from './github.shape.js';

/** GitHub takes a token of the App for ten minutes at most, by its own clock. */
const BEGINS_S = -60;
const ENDS_S = 540;

/** Lets itself in as a GitHub App: as the App itself, or as one of its installations, whose tokens last an hour. */
export class AppAccess implements AppIdentity {
  private readonly installations = new Map<string, Promise<number>>();
  private readonly key: KeyObject;
  private tokens: Promise<Tokens> | null = null;

  constructor(
    private readonly app: GithubApp,
    /** What time it is at GitHub. */
    private readonly now: () => number,
    /** Name of the connection. */
    connection: string,
  ) {
    this.key = keyOf(app, connection);
  }

  get id(): number {
    return this.app.id;
  }

  /** A token of the App itself. */
  sign(): { readonly jwt: string; readonly expiresAt: string } {
    const now = Math.floor(this.now() / 1000);
    const parts = [
      { alg: 'RS256', typ: 'JWT' },
      { iat: now + BEGINS_S, exp: now + ENDS_S, iss: String(this.id) },
    ].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
    const signed = parts.join('.');
    const jwt = `${signed}.${sign('RSA-SHA256', Buffer.from(signed), this.key).toString('base64url')}`;
    return { jwt, expiresAt: new Date((now + ENDS_S) * 1000).toISOString() };
  }

  /** A token of the installation that has what stands at this path of the API. `anew`: the one that there was is taken no more. */
  async token(path: string, anew: boolean, api: GithubApi): Promise<string> {
    // Whoever installs the App again gets another number.
    if (anew) this.forget(path);
    try {
      const installation = this.app.installation ?? (await this.installationAt(path, api));
      this.tokens ??= api.tokensOf(this);
      return await (await this.tokens)(installation, anew);
    } catch (error) {
      this.forget(path);
      throw shutOut(error);
    }
  }

  forget(path: string): void {
    this.installations.delete(path);
  }

  private installationAt(path: string, api: GithubApi): Promise<number> {
    const known = this.installations.get(path) ?? this.findInstallation(path, api);
    this.installations.set(path, known);
    return known;
  }

  private async findInstallation(path: string, api: GithubApi): Promise<number> {
    const { data } = await api.request(`GET ${path}/installation`, { headers: { authorization: `bearer ${this.sign().jwt}` } });
    const id = idAt(data, 'id');
    if (id === null) throw new Refusal(404, 'the App is not installed there', null, { barrier: 'not_installed' });
    return id;
  }
}

function keyOf({ privateKey }: GithubApp, connection: string): KeyObject {
  try {
    return createPrivateKey(privateKey.replaceAll('\\n', '\n'));
  } catch {
    // What node says of it may quote the key.
    throw new ConfigFault(`connections.${connection}.app.privateKey cannot be read as a private key; it has to be the whole .pem file`);
  }
}

/** As the App itself nothing is written: whatever went wrong, nothing happened. */
export function shutOut(error: unknown): Refusal {
  const refusal = error instanceof Refusal ? error : refusalOf(error);
  if (refusal === null) return new Refusal(null, brokenBy(error), null, { cause: error });
  const { status, reason, retryAfterMs } = refusal;
  const barrier = refusal.barrier ?? barrierOf(refusal);
  return barrier === null ? refusal : new Refusal(status, reason, retryAfterMs, { cause: error, barrier });
}

function brokenBy(error: unknown): string {
  const response = at({ ...(error as object) }, 'response.status');
  return typeof response === 'number' ? `it answered ${response}` : 'it could not be reached';
}

function barrierOf({ status, reason, retryAfterMs }: Refusal): Barrier | null {
  if (retryAfterMs !== null) return null;
  if (status === 401) return 'key_refused';
  if (status === 403 && /suspend/i.test(reason)) return 'suspended';
  return status === 404 ? 'not_installed' : null;
}
