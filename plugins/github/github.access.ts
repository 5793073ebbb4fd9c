import { ConfigFault, type Connection } from 'throughline/plugin';
import { AppAccess } from './github.app.js';
import { type GithubApi, githubApi } from './github.client.js';
import type { GithubConnection } from './github.options.js';
import { Refusal } from './github.refusal.js';

/** As whom is asked: the App itself, or whoever has access to what stands at this path of the API, as `/repositories/186853002`. */
export type Whom = 'app' | `/${string}`;

export interface Credential {
  readonly authorization: string;
  /** Whose budget of requests it is. */
  readonly budget: string;
}

const PATIENCE_MS = 15_000;

/** By the options of their connection, so that tokens and limits are known to all who use it. */
const accesses = new WeakMap<GithubConnection, Access>();

/** How a connection is let in at GitHub. Throws `ConfigFault` where it has nothing to be let in by. */
export function accessOf({ name, options }: Connection<GithubConnection>): Access {
  const known = accesses.get(options) ?? new Access(options, name);
  accesses.set(options, known);
  return known;
}

export class Access {
  private readonly app: AppAccess | null;
  private readonly quietUntil = new Map<string, number>();
  /** How far GitHub's clock is ahead of ours. */
  private aheadMs = 0;
  private made: Promise<GithubApi> | null = null;

  constructor(
    private readonly options: GithubConnection,
    name: string,
  ) {
    if (options.app === undefined && options.token === undefined)
      throw new ConfigFault(`connections.${name} has neither \`token\` nor \`app\`, so GitHub cannot be asked for anything`);
    this.app = options.app === undefined ? null : new AppAccess(options.app, () => this.now(), name);
  }

  api(): Promise<GithubApi> {
    this.made ??= githubApi(apiOf(this.options), (url, init) => this.fetch(url, init));
    return this.made;
  }

  /** `anew`: what it was before was refused. */
  async credential(whom: Whom, anew: boolean): Promise<Credential> {
    const { app } = this;
    if (app === null) return { authorization: `token ${this.options.token}`, budget: 'token' };
    if (whom === 'app') return { authorization: `bearer ${app.sign().jwt}`, budget: 'app' };
    return { authorization: `token ${await app.token(whom, anew, await this.api())}`, budget: whom };
  }

  /** Nothing is to be seen there: it may have gone to an owner who has another installation. */
  forget(whom: Whom): void {
    this.app?.forget(whom);
  }

  /** The token of an account that was refused stays refused; those of an App are made anew. */
  get canRenew(): boolean {
    return this.app !== null;
  }

  /** Throws the refusal that GitHub would only repeat. */
  checkQuiet({ budget }: Credential): void {
    const leftMs = (this.quietUntil.get(budget) ?? 0) - Date.now();
    if (leftMs > 0) throw new Refusal(429, 'its limit of requests is used up; nothing was sent', leftMs);
  }

  /** Whoever goes on asking is shut out for longer. */
  keepQuiet({ budget }: Credential, ms: number): void {
    this.quietUntil.set(budget, Date.now() + ms);
  }

  /** With an end, and hearing what time it is there. */
  async fetch(url: string | URL | Request, init: RequestInit = {}, signals: readonly AbortSignal[] = []): Promise<Response> {
    const response = await fetch(url, { ...init, signal: AbortSignal.any([...signals, AbortSignal.timeout(PATIENCE_MS)]) });
    const there = Date.parse(response.headers.get('date') ?? '');
    if (!Number.isNaN(there)) this.aheadMs = there - Date.now();
    return response;
  }

  /** What time it is at GitHub. */
  now(): number {
    return Date.now() + this.aheadMs;
  }
}

function apiOf({ apiUrl, host }: GithubConnection): string {
  if (apiUrl !== undefined) return apiUrl.replace(/\/+$/, '');
  return host === 'github.com' ? 'https://api.github.com' : `https://${host}/api/v3`;
}
