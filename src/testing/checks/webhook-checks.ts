import assert from 'node:assert/strict';
import { InvalidInput, type SignatureScheme, type WebhookTransport } from '../../plugin/index.js';
import type { Check } from '../check.js';
import { hostileVariants } from '../hostile.js';
import type { SampleRequest } from '../samples.js';
import type { UnderTest } from '../under-test.js';
import { eventsIn, type Sent, sent, type Verdict, verdictOn, verified, webhookOf } from './sent-requests.js';

const GARBAGE = ['', ' ', 'ü', '=', 'sha256=', 'v1,', `${'a'.repeat(9_999)}=`];
const DAY_MS = 24 * 60 * 60 * 1000;
const OTHER_KEYS = ['another secret', Buffer.alloc(32, 1).toString('base64'), Buffer.alloc(32, 1).toString('hex')];

export function webhookChecks(under: UnderTest): Check[] {
  return [...signatureChecks(under), ...readingChecks(under)];
}

function signatureChecks(under: UnderTest): Check[] {
  const check = (name: string, run: (request: SampleRequest, judge: Judge, scheme: SignatureScheme | null) => Promise<void>): Check => ({
    section: 'webhook',
    name,
    run: () => forEachRequest(under, run),
  });
  return [
    check('takes requests as the provider signs them', async (request, judge) => {
      assert.equal(await judge(sent(request)), 'ok', request.name);
    }),
    check('refuses a body that was changed', async (request, judge, scheme) => {
      if (scheme && !signsBody(scheme)) return;
      const { body, ...rest } = sent(request);
      for (const changed of [Buffer.concat([body, Buffer.from(' ')]), body.subarray(1), Buffer.alloc(0)])
        assert.notEqual(await judge({ ...rest, body: changed }), 'ok', `${request.name}, with another body`);
    }),
    check('refuses what was signed with another secret', async (request, judge) => {
      for (const key of OTHER_KEYS) assert.notEqual(await judge({ ...sent(request), secrets: [key] }), 'ok', request.name);
      assert.notEqual(await judge({ ...sent(request), secrets: [] }), 'ok', `${request.name}, without a secret`);
    }),
    check('refuses a request without its signature, with two of them, or with something that is none', async (request, judge, scheme) => {
      const { rawHeaders, ...rest } = sent(request);
      const isSignature = ([name]: readonly [string, string]) => scheme === null || name.toLowerCase() === scheme.signature.header;
      const others = rawHeaders.filter((header) => !isSignature(header));
      const signatures = rawHeaders.filter(isSignature);
      const wrong = [others, ...GARBAGE.map((garbage) => [...others, ...signatures.map(([name]) => [name, garbage] as const)])];
      if (scheme) wrong.push([...rawHeaders, ...signatures]);
      for (const headers of wrong)
        assert.notEqual(await judge({ ...rest, rawHeaders: headers }), 'ok', `${request.name}, with ${JSON.stringify(headers)}`);
    }),
    check('refuses a request of another day, where it says when it was signed', async (request, judge) => {
      if (under.samples.isTimed !== true) return;
      const { nowMs, ...rest } = sent(request);
      for (const now of [nowMs - DAY_MS, nowMs + DAY_MS])
        assert.equal(await judge({ ...rest, nowMs: now }), 'timestamp', `${request.name}, on another day`);
    }),
  ];
}

function readingChecks(under: UnderTest): Check[] {
  const { requests = [] } = under.samples;
  return [
    {
      section: 'webhook',
      name: 'gives a delivery one id however often it is sent, and another delivery another',
      run: async () => {
        const ids = new Map<string, string>();
        for (const request of requests) {
          const id = await idOf(under, request);
          assert.equal(await idOf(under, request), id, `${request.name}: its id is another the second time`);
          if (request.deliveryId !== undefined) assert.equal(id, request.deliveryId, request.name);
          if (request.again !== undefined) assert.equal(id, ids.get(request.again), `${request.name} is another try of ${request.again}`);
          else assert(id === '' || ![...ids.values()].includes(id), `${request.name} has the id of another delivery`);
          ids.set(request.name, id);
        }
      },
    },
    {
      section: 'webhook',
      name: 'names what a request brings',
      run: () =>
        forEachRequest(under, async (request) => {
          const [event] = await eventsOf(under, request);
          if (!event) return;
          assert(event.eventKey.length > 0 && event.eventKey.length <= 255, `${request.name} has no event key of 1 to 255 characters`);
          if (request.eventKey !== undefined) assert.equal(event.eventKey, request.eventKey, request.name);
        }),
    },
    {
      section: 'webhook',
      name: 'reads whatever is authentic, or refuses it as malformed',
      run: async () => {
        const webhook = await webhookOf(under);
        for (const request of requests) await readsAnything(webhook, under, request);
      },
    },
  ];
}

async function readsAnything(webhook: WebhookTransport, under: UnderTest, request: SampleRequest): Promise<void> {
  const { headers, payload, contentType } = verified(sent(request));
  if (contentType === 'form') return;
  const connection = under.connection();
  for (const variant of hostileVariants(payload)) {
    const body = Buffer.from(JSON.stringify(variant) ?? 'null');
    for (const given of [headers, {}]) {
      const sample = {
        rawHeaders: Object.entries(given).flatMap(([name, value]) => [value ?? []].flat().map((each) => [name, each] as const)),
        body,
      };
      try {
        eventsIn(webhook, connection, { ...sent(request), ...sample });
      } catch (error) {
        assert(error instanceof InvalidInput, `${request.name}: reading ${body.subarray(0, 300)} throws ${String(error)}`);
      }
    }
  }
}

type Judge = (request: Sent) => Promise<Verdict>;

async function forEachRequest(
  under: UnderTest,
  run: (request: SampleRequest, judge: Judge, scheme: SignatureScheme | null) => Promise<void>,
): Promise<void> {
  const webhook = await webhookOf(under);
  const connection = under.connection();
  const signature = webhook.signature(connection);
  const scheme = 'verify' in signature ? null : signature;
  for (const request of under.samples.requests ?? []) await run(request, (each) => verdictOn(webhook, connection, each), scheme);
}

/** A token or a password proves who sends, not what. */
function signsBody({ algorithm }: SignatureScheme): boolean {
  return algorithm !== 'token' && algorithm !== 'basic';
}

async function eventsOf(under: UnderTest, request: SampleRequest) {
  return eventsIn(await webhookOf(under), under.connection(), sent(request));
}

/** Those of all its events; empty for a handshake. */
async function idOf(under: UnderTest, request: SampleRequest): Promise<string> {
  return (await eventsOf(under, request)).map(({ deliveryId }) => deliveryId).join('\n');
}
