/** What the SDK is used for, which is imported here alone: requests, and the tokens of an App's installations. */
export interface GithubApi {
  /** Rejects for every status from 400 on, and where no answer came; `github.refusal.ts` reads what it rejects with. */
  request(route: string, values: Readonly<Record<string, unknown>>): Promise<ApiAnswer>;
  tokensOf(app: AppIdentity): Promise<Tokens>;
}

export interface ApiAnswer {
  readonly data: unknown;
  readonly url: string;
  readonly status: number;
  readonly headers: { readonly link?: string | undefined };
}

/** A token of an installation, which is kept for an hour; `anew`: the one that there is is taken no more. */
export type Tokens = (installation: number, anew: boolean) => Promise<string>;

export interface AppIdentity {
  readonly id: number;
  sign(): { readonly jwt: string; readonly expiresAt: string };
}

const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

export async function githubApi(baseUrl: string, fetch: typeof globalThis.fetch): Promise<GithubApi> {
  const { Octokit } = await import('@octokit/rest');
  const { request } = new Octokit({ baseUrl, log: SILENT, request: { fetch } });
  return {
    request: (route, values) => request(route, { ...values }),
    tokensOf: async (app) => {
      const { createAppAuth } = await import('@octokit/auth-app');
      const auth = createAppAuth({ appId: app.id, createJwt: async () => app.sign(), request, log: SILENT });
      return async (installationId, refresh) => {
        const given = await alone(installationId, () => auth({ type: 'installation', installationId, refresh }));
        return given.token;
      };
    },
  };
}

/** The library remembers what it asks for by the number of the installation alone, for the whole process: no two connections may meet there. */
const running = new Map<number, Promise<unknown>>();

function alone<Result>(installation: number, work: () => Promise<Result>): Promise<Result> {
  const before = running.get(installation) ?? Promise.resolve();
  const own = before.then(work, work);
  running.set(installation, own);
  const over = () => {
    if (running.get(installation) === own) running.delete(installation);
  };
  own.then(over, over);
  return own;
}
