import type { EncryptionSettings, KeysClaimRequest, OlmMachine } from '@matrix-org/matrix-sdk-crypto-wasm';
import { HTTPError, MatrixError } from 'matrix-js-sdk/lib/http-api/errors.js';
import { FetchHttpApi } from 'matrix-js-sdk/lib/http-api/fetch.js';
import { Method } from 'matrix-js-sdk/lib/http-api/method.js';
import { ClientPrefix } from 'matrix-js-sdk/lib/http-api/prefix.js';
import { TypedEventEmitter } from 'matrix-js-sdk/lib/models/typed-event-emitter.js';
import { type Fields, fields, word } from 'throughline/plugin';
import { MatrixFailure } from './failure.js';
import type { IdbFactory } from './idb.js';
import type { Call, MatrixClient } from './matrix.api.js';
import type { MatrixConnection } from './matrix.options.js';

const PATIENCE_MS = 15_000;
const PAUSE_MS = 5_000;

/** Failures before a connection stood: nothing was sent. */
const NEVER_CONNECTED: ReadonlySet<unknown> = new Set(
  'ECONNREFUSED ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH UND_ERR_CONNECT_TIMEOUT CERT_HAS_EXPIRED DEPTH_ZERO_SELF_SIGNED_CERT'.split(
    ' ',
  ),
);

const SIGNED_OUT: ReadonlySet<unknown> = new Set(['M_UNKNOWN_TOKEN', 'M_MISSING_TOKEN', 'M_USER_LOCKED', 'M_USER_DEACTIVATED']);

export function createClient(options: MatrixConnection): MatrixClient {
  const session = new Session(options);
  return { ask: (call) => session.ask(call) };
}

/** The session of a device: its token, and how it comes to another one. */
class Session {
  private token: string | undefined;
  private renewing: Promise<void> | null = null;

  constructor(private readonly options: MatrixConnection) {
    this.token = options.token;
  }

  async ask(call: Call): Promise<Fields> {
    if (this.token === undefined) await this.renew(undefined, call.signal);
    const token = this.token;
    try {
      return await request(this.options.apiUrl, token, call);
    } catch (error) {
      if (!(error instanceof MatrixFailure) || error.kind !== 'signed_out') throw error;
      // A new session of a device that was signed out for good would have to make new keys, too.
      if (this.options.password === undefined || (this.options.encryption && error.details.isSoft !== true)) throw error;
      await this.renew(token, call.signal);
      return await request(this.options.apiUrl, this.token, call);
    }
  }

  /** Of all that find the session ended, one logs in. */
  private async renew(ended: string | undefined, signal: AbortSignal): Promise<void> {
    if (this.token !== ended) return;
    this.renewing ??= this.login(signal).finally(() => {
      this.renewing = null;
    });
    await this.renewing;
  }

  private async login(signal: AbortSignal): Promise<void> {
    const { user, password, device, apiUrl } = this.options;
    const identifier = { type: 'm.id.user', user };
    const named = { device_id: device, initial_device_display_name: 'Throughline' };
    const body = { type: 'm.login.password', identifier, password, ...named };
    const answer = await request(apiUrl, undefined, { method: 'POST', path: '/login', body, signal }).catch((error: unknown) => {
      if (error instanceof MatrixFailure && error.kind === 'refused')
        throw new MatrixFailure('signed_out', `${error.message}; correct \`user\` and \`password\`, or set a \`token\``, error.details);
      throw error;
    });
    const token = word(answer.access_token);
    if (token === undefined) throw new MatrixFailure('unknown', 'the homeserver answered a login without an access token');
    this.token = token;
  }
}

async function request(baseUrl: string, accessToken: string | undefined, call: Call): Promise<Fields> {
  const { method, path, query = {}, body } = call;
  // The SDK keeps of a failed request its message alone.
  let failure: unknown;
  const api = new FetchHttpApi(new TypedEventEmitter(), {
    ...{ baseUrl, prefix: ClientPrefix.V3, onlyData: true, ...(accessToken !== undefined && { accessToken }) },
    fetchFn: (url, init) =>
      fetchWithin(url, init, call).catch((error: unknown) => {
        failure = error;
        throw error;
      }),
  });
  const sdkMethod = { GET: Method.Get, POST: Method.Post, PUT: Method.Put }[method];
  try {
    const given = [sdkMethod, path, { ...query }, body && { ...body }] as const;
    const answer: unknown = await (accessToken === undefined ? api.request(...given) : api.authedRequest(...given));
    return Array.isArray(answer) ? { chunk: answer } : (fields(answer) ?? {});
  } catch (error) {
    throw failureOf(error, failure, `${method} ${path.split('/')[1] ?? ''}`);
  }
}

function fetchWithin(url: string | URL | Request, init: RequestInit | undefined, { signal, patienceMs = 0 }: Call): Promise<Response> {
  const limits = [signal, AbortSignal.timeout(PATIENCE_MS + patienceMs), ...(init?.signal ? [init.signal] : [])];
  // Whoever redirects a homeserver would be given its token.
  return fetch(url, { ...init, redirect: 'error', signal: AbortSignal.any(limits) });
}

function failureOf(error: unknown, failure: unknown, what: string): MatrixFailure {
  const { status, said, code, isSoft } = answered(error);
  if (status === undefined) {
    if (neverConnected(failure)) return new MatrixFailure('unreached', `the homeserver could not be reached for ${what}`);
    return new MatrixFailure('unknown', `${what} got no answer of the homeserver`);
  }
  const details = { status, ...(code !== undefined && { code }) };
  const message = `the homeserver answered ${[status, code].filter(Boolean).join(' ')} to ${what}${said ? `: ${said.slice(0, 300)}` : ''}`;
  if (status === 429 || code === 'M_LIMIT_EXCEEDED')
    return new MatrixFailure('limited', message, { ...details, retryAfterMs: pauseOf(error) });
  if (SIGNED_OUT.has(code)) {
    const step = isSoft ? 'its session was ended: set `password` and `device`, or a new `token`' : 'it was signed out: set a new `token`';
    return new MatrixFailure('signed_out', `${message}; ${step}`, { ...details, isSoft });
  }
  return new MatrixFailure(status >= 500 ? 'unknown' : 'refused', message, details);
}

function answered(error: unknown): { status?: number; said?: string; code?: string; isSoft: boolean } {
  if (error instanceof MatrixError) {
    const { httpStatus: status, errcode: code, error: said, data } = error;
    return {
      ...(status !== undefined && { status }),
      ...(code !== undefined && { code }),
      ...(said !== undefined && { said }),
      isSoft: data.soft_logout === true,
    };
  }
  const status = error instanceof HTTPError ? error.httpStatus : undefined;
  return { ...(status !== undefined && { status }), isSoft: false };
}

function pauseOf(error: unknown): number {
  try {
    return (error instanceof HTTPError ? error.getRetryAfterMs() : null) ?? PAUSE_MS;
  } catch {
    return PAUSE_MS;
  }
}

function neverConnected(error: unknown): boolean {
  for (let cause = fields(error); cause !== undefined; cause = fields(cause.cause)) {
    if (NEVER_CONNECTED.has(cause.code)) return true;
  }
  return false;
}

type Crypto = typeof import('@matrix-org/matrix-sdk-crypto-wasm');
export type Machine = OlmMachine;
export type MachineRequest = Awaited<ReturnType<Machine['outgoingRequests']>>[number] | KeysClaimRequest;

/** What devices encrypt and decrypt with. */
export interface CryptoKit {
  readonly crypto: Crypto;
  /** Databases in memory, which the machines keep their keys in. */
  readonly idb: IdbFactory;
  /** `store`: begin of the names of its databases; `key`: 32 bytes that what they hold is encrypted with. */
  openMachine(user: string, device: string, store: string, key: Buffer): Promise<Machine>;
  settings(): EncryptionSettings;
}

/** Loads the encryption of Matrix, which is WebAssembly and expects the storage of a browser. */
export async function loadCrypto(): Promise<CryptoKit> {
  const { default: idb, forceCloseDatabase: _, ...globals } = await import('fake-indexeddb');
  for (const [name, value] of Object.entries(globals))
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  const crypto = await import('@matrix-org/matrix-sdk-crypto-wasm');
  await crypto.initAsync();
  return {
    ...{ crypto, idb: idb as unknown as IdbFactory },
    openMachine: async (user, device, store, key) => {
      const handle = await crypto.StoreHandle.openWithKey(store, new Uint8Array(key));
      return crypto.OlmMachine.initFromStore(new crypto.UserId(user), new crypto.DeviceId(device), handle);
    },
    settings: () => {
      const settings = new crypto.EncryptionSettings();
      settings.sharingStrategy = crypto.CollectStrategy.allDevices();
      return settings;
    },
  };
}
