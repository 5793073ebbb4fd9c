import { createHmac } from 'node:crypto';
import type { Connection, Headers, Parsed, VerifiedRequest } from 'throughline/plugin';
import type { SlackConnection } from '../../../plugins/slack/slack.options.js';
import { SlackSubjects } from '../../../plugins/slack/slack.subjects.js';
import { SlackWebhook } from '../../../plugins/slack/slack.webhook.js';
import { fixtureText } from '../golden.js';

export const SECRET = '8f742231b10e8888abcd99yyyzzz85a5';
export const webhook = new SlackWebhook();
export const subjects = new SlackSubjects();

export type Json = Record<string, unknown>;

export function connection(options: SlackConnection = {}): Connection<SlackConnection> {
  return { name: 'slack', org: 'default', source: 'private', secrets: [SECRET], options };
}

export function slackFixture(name: string): Json & { event: Json } {
  return JSON.parse(fixtureText(`slack/constructed/${name}.json`));
}

export function jsonRequest(payload: unknown, headers: Headers = {}): VerifiedRequest {
  return { headers, body: Buffer.from(JSON.stringify(payload)), payload, contentType: 'json' };
}

/** As the host reads a form: an object of its fields. */
export function formRequest(text: string): VerifiedRequest {
  const form = text.trimEnd();
  return { headers: {}, body: Buffer.from(form), payload: Object.fromEntries(new URLSearchParams(form)), contentType: 'form' };
}

export function parseRequest(request: VerifiedRequest, options: SlackConnection = {}): Parsed {
  return subjects.parse({ connection: connection(options), eventKey: webhook.eventKey(request), payload: webhook.event(request) });
}

export function parse(payload: unknown, options: SlackConnection = {}): Parsed {
  return parseRequest(jsonRequest(payload), options);
}

/** A recorded `message` with other properties. */
export function message(event: Json, body: Json = {}): Json {
  const recorded = slackFixture('message.root');
  return { ...recorded, ...body, event: { ...recorded.event, ...event } };
}

export function slackSignature(timestamp: string, body: Buffer): string {
  return `v0=${createHmac('sha256', SECRET).update(`v0:${timestamp}:`).update(body).digest('hex')}`;
}
