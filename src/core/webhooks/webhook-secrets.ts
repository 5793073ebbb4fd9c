import { openSecret, sealSecret } from '../secret-seal.js';

/** A secret of a custom webhook, and until when it is worth something; null: as long as nobody gives it another one. */
export interface HeldSecret {
  readonly secret: string;
  readonly until: number | null;
}

/** The newest first. */
export function sealSecrets(key: Buffer, webhook: string, held: readonly HeldSecret[]): Buffer {
  return sealSecret(key, aboutOf(webhook), JSON.stringify(held));
}

/** Throws when they were sealed with another key or for another webhook, or were changed. */
export function openSecrets(key: Buffer, webhook: string, sealed: Buffer): HeldSecret[] {
  return JSON.parse(openSecret(key, aboutOf(webhook), sealed)) as HeldSecret[];
}

/** The new secret, and the one that it takes the place of for as long as both are to hold. No third one is: two are what a sender needs. */
export function rotated(held: readonly HeldSecret[], secret: string, until: number | null): HeldSecret[] {
  const [last] = held;
  return [{ secret, until: null }, ...(last === undefined || until === null ? [] : [{ secret: last.secret, until }])];
}

/** What verifies at this moment. */
export function secretsAt(held: readonly HeldSecret[], now: number): string[] {
  return held.filter(({ until }) => until === null || now < until).map(({ secret }) => secret);
}

function aboutOf(webhook: string): string {
  return `webhook:${webhook}`;
}
