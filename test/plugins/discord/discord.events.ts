import { generateKeyPairSync, sign } from 'node:crypto';
import type { Connection, Parsed, ProviderEvent, VerifiedRequest } from 'throughline/plugin';
import type { DiscordConnection } from '../../../plugins/discord/discord.options.js';
import { DiscordSubjects } from '../../../plugins/discord/discord.subjects.js';
import { DiscordWebhook } from '../../../plugins/discord/discord.webhook.js';
import { eventsOf } from '../../../plugins/discord/gateway-events.js';
import { fixtureText } from '../golden.js';

export type Json = Record<string, unknown>;

/** The bot of the fixtures is the user 100000000000000009 of the application 100000000000000099. */
export const TOKEN = `${Buffer.from('100000000000000009').toString('base64url')}.fake.token`;
export const APPLICATION = '100000000000000099';
export const webhook = new DiscordWebhook();
export const subjects = new DiscordSubjects();

const keys = generateKeyPairSync('ed25519');
export const PUBLIC_KEY = keys.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');

export function connection(options: DiscordConnection = { token: TOKEN, applicationId: APPLICATION }): Connection<DiscordConnection> {
  return { name: 'discord', org: 'default', source: 'private', secrets: [], options };
}

export function fixture(name: string): Json & { t: string; d: Json } {
  return JSON.parse(fixtureText(`discord/constructed/${name}.json`));
}

/** The event that a recorded dispatch is, with other values in its data. */
export function dispatched(name: string, change: Json = {}): ProviderEvent | undefined {
  const { t, d } = fixture(name);
  return eventsOf(t, { ...d, ...change })[0];
}

export function parse(event: ProviderEvent | undefined, options?: DiscordConnection): Parsed {
  if (!event) throw new Error('that is no event');
  return subjects.parse({ ...event, connection: connection(options) });
}

export function request(payload: unknown): VerifiedRequest {
  return { headers: {}, body: Buffer.from(JSON.stringify(payload)), payload, contentType: 'json' };
}

export function parseRequest(payload: unknown): Parsed {
  return subjects.parse({ connection: connection(), eventKey: webhook.eventKey(request(payload)), payload });
}

/** Headers with which Discord would have posted the body. */
export function signedHeaders(body: Buffer, seconds = Math.floor(Date.now() / 1000)): Record<string, string> {
  const signature = sign(null, Buffer.concat([Buffer.from(String(seconds)), body]), keys.privateKey).toString('hex');
  return { 'x-signature-ed25519': signature, 'x-signature-timestamp': String(seconds) };
}

export function command(name: string, options: Json[] = []): Json {
  const { data: _, message: __, ...press } = fixture('interaction.button.approve');
  return { ...press, id: '400000000000000003', type: 2, data: { id: '500000000000000001', name, type: 1, options } };
}

export function press(customId: string): Json {
  return { ...fixture('interaction.button.approve'), data: { component_type: 2, custom_id: customId } };
}
