import { type GithubServer, REPOSITORY } from '../../fakes/github/github-server.js';
import { connection as connectionOf } from './deliveries.js';

export const KEY = '0b6f2c3e-6a3d-4c61-9d0a-5f3e1a2b3c4d';
export const SUBJECT = { namespace: `github:github.com:${REPOSITORY}`, key: `${REPOSITORY}#12` };
export const fails = (work: Promise<unknown>) => work.then(() => null).catch((error: unknown) => error);

export function connected(github: GithubServer, more: Parameters<typeof connectionOf>[0] = { token: github.token }) {
  return connectionOf({ apiUrl: github.url, ...more });
}
