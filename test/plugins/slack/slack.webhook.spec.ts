import { describe, expect, it } from '@jest/globals';
import { verifySignature } from '../../../src/ingress/signatures/verify-signature.js';
import { fixtureText } from '../golden.js';
import { holds, vectorsOf } from '../signature-vectors.js';
import { formRequest, jsonRequest, parseRequest, SECRET, slackFixture, slackSignature, webhook } from './slack.requests.js';

const form = (name: string) => formRequest(fixtureText(`slack/constructed/${name}.form-urlencoded.txt`));

describe('the Slack webhook', () => {
  it.each(vectorsOf('slack'))('SIG-3 describes the scheme so that $id is judged rightly: $why', (vector) => {
    expect(holds(vector, webhook.signature())).toBe(vector.valid);
  });

  it('SIG-1 covers forms as well as JSON', () => {
    const { body } = form('block_actions.approve');
    const rawHeaders = [
      ['X-Slack-Request-Timestamp', '1767225600'],
      ['X-Slack-Signature', slackSignature('1767225600', body)],
    ] as const;
    const signed = { rawHeaders, body, url: '', secrets: [SECRET], nowSeconds: 1767225600 };
    expect(verifySignature(webhook.signature(), signed).ok).toBe(true);
    expect(verifySignature(webhook.signature(), { ...signed, body: Buffer.concat([body, Buffer.from('&')]) }).ok).toBe(false);
  });

  it('SIG-1 SIG-3 refuses a press on a button that is forged, changed, or sent again later', () => {
    const { body } = form('block_actions.approve');
    const timestamp = '1767225600';
    const verify = (signature: string, more: object = {}) => {
      const rawHeaders = [
        ['X-Slack-Request-Timestamp', timestamp],
        ['X-Slack-Signature', signature],
      ] as const;
      const request = { rawHeaders, body, url: '', secrets: [SECRET], nowSeconds: 1767225600, ...more };
      return verifySignature(webhook.signature(), request).ok;
    };
    const signature = slackSignature(timestamp, body);
    expect(verify(signature)).toBe(true);
    expect(verify(`v0=${'0'.repeat(64)}`)).toBe(false);
    expect(verify(signature, { body: Buffer.from(body.toString().replace('U0001', 'U0002')) })).toBe(false);
    expect(verify(signature, { nowSeconds: 1767225600 + 301 })).toBe(false);
  });

  it('ING-1 takes JSON and forms up to 5 MB', () => {
    expect(webhook.contentTypes).toEqual(['json', 'form']);
    expect(webhook.bodyLimit).toBe(5 * 1024 * 1024);
  });

  it('SLK-1 answers url_verification with the challenge as plain text', () => {
    expect(webhook.handshake(jsonRequest(slackFixture('url_verification')))).toEqual({
      status: 200,
      body: '3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P',
      headers: { 'content-type': 'text/plain; charset=utf-8' },
    });
  });

  it('SLK-1 answers a check of the certificate', () => {
    expect(webhook.handshake(form('ssl_check'))).toMatchObject({ status: 200, body: '' });
  });

  it('SLK-1 takes nothing else for a handshake', () => {
    const others = [
      jsonRequest(slackFixture('message.root')),
      jsonRequest({ ssl_check: '1' }),
      jsonRequest({ type: 'url_verification', challenge: 1 }),
    ];
    for (const request of [...others, jsonRequest(null), form('slash_command')]) expect(webhook.handshake(request)).toBeNull();
  });
});

describe('the id of a Slack delivery', () => {
  it('B8 is the event_id, and a retry keeps it and is as good as the first try', () => {
    const { headers } = JSON.parse(fixtureText('slack/constructed/retry.headers.json'));
    const [first, retry] = [jsonRequest(slackFixture('message.root')), jsonRequest(slackFixture('message.root'), headers)];
    expect(webhook.deliveryId(first)).toBe('Ev0001');
    expect(webhook.deliveryId(retry)).toBe('Ev0001');
    expect(parseRequest(retry)).toEqual(parseRequest(first));
  });

  it('differs between the two events about one message', () => {
    const names = ['app_mention.root', 'message.same-as-app_mention-root'];
    expect(names.map((name) => webhook.deliveryId(jsonRequest(slackFixture(name))))).toEqual(['Ev0003', 'Ev0004']);
  });

  it('is missing when an event has none', () => {
    const { event_id: _, ...nameless } = slackFixture('message.root');
    expect(webhook.deliveryId(jsonRequest(nameless))).toBeNull();
    expect(webhook.deliveryId(jsonRequest({ ...nameless, event_id: 7 }))).toBeNull();
  });

  it('is the digest of the bytes for what is no event', () => {
    const [command, action] = [webhook.deliveryId(form('slash_command')), webhook.deliveryId(form('block_actions.approve'))];
    expect(command).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(webhook.deliveryId(form('slash_command'))).toBe(command);
    expect(action).not.toBe(command);
  });
});

describe('the key of a Slack event', () => {
  const keyOf = (payload: unknown) => webhook.eventKey(jsonRequest(payload));

  it.each([
    ['app_mention.root', 'app_mention'],
    ['message.root', 'message'],
    ['message_changed.edit', 'message.message_changed'],
    ['message_deleted', 'message.message_deleted'],
    ['channel_rename', 'channel_rename'],
    ['app_rate_limited', 'app_rate_limited'],
  ])('of %s is %s', (name, key) => {
    expect(keyOf(slackFixture(name))).toBe(key);
  });

  it('is the type of an interaction, and slash_command for a command', () => {
    expect(webhook.eventKey(form('block_actions.approve'))).toBe('block_actions');
    expect(webhook.eventKey(form('slash_command'))).toBe('slash_command');
  });

  it('is unknown where the body does not say one', () => {
    const nameless = [
      null,
      [],
      {},
      { type: 'event_callback' },
      { type: 'event_callback', event: { type: 'a b' } },
      { type: 7 },
      { command: 7 },
    ];
    expect(nameless.map(keyOf)).toEqual(nameless.map(() => 'unknown'));
  });
});

describe('a form from Slack', () => {
  it('SLK-1 gives the interaction that a socket gives', () => {
    expect(webhook.event(form('block_actions.approve'))).toEqual(slackFixture('block_actions.approve'));
  });

  it.each([
    ['no JSON', 'payload=%7B'],
    ['no object', 'payload=7'],
    ['empty', ''],
  ])('ING-4 is recorded as it is when its payload is %s', (_, text) => {
    const request = formRequest(text);
    expect(webhook.event(request)).toBe(request.payload);
    expect(parseRequest(request)).toEqual({ kind: 'recorded', reason: 'invalid_shape', subject: null });
  });
});
