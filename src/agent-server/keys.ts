import { createHash, timingSafeEqual } from 'node:crypto';

/** Of this server, and those by which others of the API are told theirs. */
const OWN = 'THROUGHLINE_AGENT_SERVER_KEY';
const OTHERS = /^(OH_SESSION_API_KEYS_\d+|SESSION_API_KEY)$/;

/** The keys of the environment; with none, nobody is asked for one. */
export class Keys {
  private readonly hashes: readonly Buffer[];

  constructor(env: NodeJS.ProcessEnv) {
    const names = Object.keys(env).filter((name) => name === OWN || OTHERS.test(name));
    this.hashes = names.flatMap((name) => (env[name] ? [hash(env[name])] : []));
  }

  get areAny(): boolean {
    return this.hashes.length > 0;
  }

  allow(given: unknown): boolean {
    if (!this.areAny) return true;
    const sent = hash(typeof given === 'string' ? given : '');
    // All of them are compared, so that the time tells nothing.
    return this.hashes.filter((known) => timingSafeEqual(known, sent)).length > 0;
  }
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
