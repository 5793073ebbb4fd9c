import type { Octokit } from '@octokit/rest';
import { ConfigFault, type Connection, OutcomeUnknown } from 'throughline/plugin';
import type { GithubConnection } from './github.options.js';
import { Refusal, refusalOf } from './github.refusal.js';
import { at, idAt } from './github.shape.js';

/** A read that fails changed nothing, whatever happened to it; of a write nobody knows then. */
export type Doing = 'read' | 'write';

export interface Answered {
  readonly data: unknown;
  /** Where the answer came from: an issue that was transferred leads to its new place. */
  readonly url: string;
}

const PATIENCE_MS = 15_000;
const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const NEVER_CONNECTED: ReadonlySet<unknown> = new Set(
  'ECONNREFUSED ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH UND_ERR_CONNECT_TIMEOUT CERT_HAS_EXPIRED DEPTH_ZERO_SELF_SIGNED_CERT'.split(
    ' ',
  ),
);

/** Clients by the options of their connection and by repository: an App's token is kept by its client for an hour. */
const clients = new WeakMap<GithubConnection, Map<string, Promise<Octokit>>>();

/**
 * One call of GitHub's REST API about a repository by its id, which no renaming changes, without retries. Throws a `Refusal` when surely
 * nothing was written, else `OutcomeUnknown`.
 */
export async function callGithub(
  doing: Doing,
  route: string,
  values: Readonly<Record<string, unknown>> & { readonly repository: number },
  connection: Connection<GithubConnection>,
  signal: AbortSignal,
): Promise<Answered> {
  const client = await clientFor(connection, values.repository, signal);
  // GitHub's own permanent redirects would make a read of a write.
  const redirect = doing === 'write' ? 'manual' : 'follow';
  return asked(doing, signal, async (fetch) => {
    const { data, url, status } = await client.request(route, { ...values, request: { fetch, redirect } });
    if ((status as number) >= 300) throw new Refusal(status, 'it was moved elsewhere');
    return { data, url };
  });
}

/** Does `work` with a fetch that has an end, and says of its failure whether something may have been written. */
async function asked<T>(doing: Doing, signal: AbortSignal, work: (fetch: typeof globalThis.fetch) => Promise<T>): Promise<T> {
  let failure: unknown;
  const fetchWithin: typeof globalThis.fetch = (url, init) =>
    fetch(url, { ...init, signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]) }).catch((error: unknown) => {
      failure = error;
      throw error;
    });
  try {
    return await work(fetchWithin);
  } catch (error) {
    const refusal = error instanceof Refusal ? error : refusalOf(error);
    if (refusal) throw refusal;
    if (doing === 'read' || neverConnected(failure)) throw new Refusal(null, 'it could not be reached', null, { cause: error });
    throw new OutcomeUnknown('the write may have reached GitHub, and nothing says what came of it', { cause: error });
  }
}

function clientFor(connection: Connection<GithubConnection>, repository: number, signal: AbortSignal): Promise<Octokit> {
  const { options } = connection;
  const known = clients.get(options) ?? new Map<string, Promise<Octokit>>();
  clients.set(options, known);
  const key = options.app && options.app.installation === undefined ? String(repository) : '';
  const client = known.get(key) ?? makeClient(connection, repository, signal);
  known.set(key, client);
  // Who was not let in may be let in later.
  client.catch(() => known.delete(key));
  return client;
}

async function makeClient({ name, options }: Connection<GithubConnection>, repository: number, signal: AbortSignal): Promise<Octokit> {
  const { Octokit } = await import('@octokit/rest');
  const about = { baseUrl: apiOf(options), log: SILENT };
  if (options.app === undefined) {
    if (options.token === undefined)
      throw new ConfigFault(`connections.${name} has neither \`token\` nor \`app\`, so nothing can be written`);
    return new Octokit({ ...about, auth: options.token });
  }
  const { createAppAuth } = await import('@octokit/auth-app');
  const app = { appId: options.app.id, privateKey: options.app.privateKey.replaceAll('\\n', '\n') };
  const installationId = options.app.installation ?? (await installationOf(repository, new Octokit(about), createAppAuth(app), signal));
  return new Octokit({ ...about, authStrategy: createAppAuth, auth: { ...app, installationId } });
}

/** Which installation of the App has the repository. */
async function installationOf(
  repository: number,
  client: Octokit,
  authenticate: (wanted: { type: 'app' }) => Promise<{ readonly token: string }>,
  signal: AbortSignal,
): Promise<number> {
  const { token } = await authenticate({ type: 'app' });
  const { data } = await asked('read', signal, (fetch) => {
    const values = { repository, headers: { authorization: `bearer ${token}` }, request: { fetch } };
    return client.request('GET /repositories/{repository}/installation', values) as Promise<{ readonly data: unknown }>;
  });
  const id = idAt(data, 'id');
  if (id === null) throw new Refusal(404, 'the App is not installed in the repository');
  return id;
}

function apiOf({ apiUrl, host }: GithubConnection): string {
  if (apiUrl !== undefined) return apiUrl.replace(/\/+$/, '');
  return host === 'github.com' ? 'https://api.github.com' : `https://${host}/api/v3`;
}

function neverConnected(error: unknown): boolean {
  return NEVER_CONNECTED.has(codeOf(error)) || NEVER_CONNECTED.has(at({ error }, 'error.code'));
}

/** `fetch failed` says why in its cause. */
function codeOf(error: unknown): unknown {
  return (error as { readonly cause?: { readonly code?: unknown } } | undefined)?.cause?.code;
}
