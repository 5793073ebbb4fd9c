import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { PLUGIN_API_VERSION } from 'throughline/plugin';
import { GithubWebhook } from '../../../plugins/github/github.webhook.js';
import github, { GithubModule, GithubProvider } from '../../../plugins/github/index.js';
import { verifySignature } from '../../../src/ingress/signatures/verify-signature.js';
import { bodies, delivery, json, read } from './deliveries.js';

interface Vector {
  readonly id: string;
  readonly scheme: string;
  readonly now: number;
  readonly secret: string;
  readonly secrets?: readonly string[];
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body_base64: string;
  readonly valid: boolean;
}

const webhook = new GithubWebhook();
const published = JSON.parse(readFileSync(new URL('../../fixtures/signatures.json', import.meta.url), 'utf8')) as { vectors: Vector[] };
const vectors = published.vectors.filter(({ scheme }) => scheme === 'github');

describe("GitHub's webhook", () => {
  it.each(vectors.map((vector) => [vector.id, vector] as const))('SIG-2 decides the vector %s as it should', (_, vector) => {
    const verification = verifySignature(webhook.signature(), {
      rawHeaders: vector.headers,
      body: Buffer.from(vector.body_base64, 'base64'),
      url: vector.url,
      secrets: vector.secrets ?? [vector.secret],
      nowSeconds: vector.now,
    });
    expect(verification.ok).toBe(vector.valid);
  });

  it('ING-1 takes JSON and forms up to the 25 MB beyond which GitHub sends nothing', () => {
    expect([webhook.contentTypes, webhook.bodyLimit]).toEqual([['json', 'form'], 26_214_400]);
  });

  it('GIT-2 names a delivery by its GUID, which a redelivery keeps', () => {
    expect(webhook.deliveryId(json({ 'x-github-delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958' }, {}))).toBe(
      '72d3162e-cc78-11e3-81ab-4c9367dc0958',
    );
    for (const odd of [undefined, '', '  ', ['a', 'b']]) expect(webhook.deliveryId(json({ 'x-github-delivery': odd }, {}))).toBeNull();
  });

  it.each([
    ['issues', { action: 'opened' }, 'issues.opened'],
    ['push', {}, 'push'],
    ['push', { action: 5 }, 'push'],
    ['repository_dispatch', { action: 'on-demand-test' }, 'repository_dispatch.on-demand-test'],
    ['repository_dispatch', { action: 'has spaces' }, 'repository_dispatch'],
    ['issues', { action: 'x'.repeat(101) }, 'issues'],
    ['issues', null, 'issues'],
    [undefined, { action: 'opened' }, 'unknown'],
    [['issues', 'push'], { action: 'opened' }, 'unknown'],
    ['Issues; drop', { action: 'opened' }, 'unknown'],
    ['', { action: 'opened' }, 'unknown'],
  ])('GIT-1 the header %p with the payload %j makes the event key %s', (header, payload, key) => {
    expect(webhook.eventKey(json({ 'x-github-event': header }, payload))).toBe(key);
  });

  it('GIT-1 an event without a readable header is recorded as unknown', () => {
    expect(read(json({}, { action: 'opened' })).parsed).toEqual({ kind: 'recorded', reason: 'unknown_event', subject: null });
  });

  it('ING-1 reads the same event from a form as from JSON', () => {
    const form = delivery('_constructed/issue_comment.created.form-urlencoded.txt');
    const { payload } = form.payload as { payload: string };
    expect(read(form)).toEqual(read(json(form.headers, JSON.parse(payload))));
    expect(read(form)).toMatchObject({ eventKey: 'issue_comment.created', parsed: { kind: 'prompt', subject: { key: '186853002#1' } } });
  });

  it.each([
    ['broken', '{"action":'],
    ['missing', undefined],
    ['of 100,000 levels', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['of 513 levels', `{"action":"created","a":${'['.repeat(512)}${']'.repeat(512)}}`],
  ])('ING-4 a form whose JSON is %s is recorded as invalid_shape', (_, payload) => {
    const request = { ...json({ 'x-github-event': 'issue_comment.created' }, {}), contentType: 'form' as const };
    const headers = { 'x-github-event': 'push' };
    expect(read({ ...request, headers, payload: { payload } }).parsed).toEqual({
      kind: 'recorded',
      reason: 'invalid_shape',
      subject: null,
    });
  });

  it('ING-1 brackets and quotes in the strings of a form are no nesting', () => {
    const value = { text: `${'['.repeat(600)}"\\"${'{'.repeat(600)}` };
    const request = { ...json({}, {}), contentType: 'form' as const, payload: { payload: JSON.stringify(value) } };
    expect(webhook.event(request)).toEqual(value);
  });

  it('ING-1 __proto__ in a form stays an own key and reaches no prototype', () => {
    const request = { ...json({}, {}), contentType: 'form' as const, payload: { payload: '{"__proto__":{"action":"opened"}}' } };
    expect(Object.keys(webhook.event(request) as object)).toEqual(['__proto__']);
    expect(webhook.eventKey({ ...request, headers: { 'x-github-event': 'issues' } })).toBe('issues');
  });
});

describe('the content that identifies an event', () => {
  it('ACC-10 is the signed bytes, whatever the unsigned headers say', () => {
    const request = delivery('issue_comment/created.json');
    expect(webhook.uniqueContent(request)).toBe(request.body);
    expect(webhook.uniqueContent({ ...request, headers: { ...request.headers, 'x-github-delivery': 'new' } })).toBe(request.body);
  });

  it('ACC-10 does not exist for dispatches: the same one asked for twice has the same bytes', () => {
    expect(webhook.uniqueContent(delivery('workflow_dispatch/payload.json'))).toBeNull();
    expect(webhook.uniqueContent(delivery('repository_dispatch/on-demand-test.json'))).toBeNull();
  });

  it('ACC-10 a captured body sent again under the name of a dispatch starts nothing', () => {
    const dispatches = ['workflow_dispatch', 'repository_dispatch'];
    for (const file of bodies.filter((name) => !dispatches.some((event) => name.startsWith(event)))) {
      for (const event of dispatches) {
        expect({ file, ...read(delivery(file, { 'x-github-event': event })).parsed }).toMatchObject({ kind: 'recorded', file });
      }
    }
  });
});

describe('the plugin', () => {
  it('is named github and gives one webhook, a look for what failed at it, and one parser', () => {
    expect(github).toMatchObject({ name: 'github', apiVersion: PLUGIN_API_VERSION, module: GithubModule, provider: GithubProvider });
    const provider = new GithubProvider();
    expect(provider.transports.map(({ kind }) => kind)).toEqual(['webhook', 'poll']);
    expect(provider.subjects.parse).toBeInstanceOf(Function);
  });
});
