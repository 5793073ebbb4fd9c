import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { WebhookProvider } from '../../plugins/webhook/index.js';
import { newSecretFor } from '../../src/ingress/webhooks/scheme-secrets.js';
import { schemeFrom } from '../../src/plugin/index.js';
import { presets } from '../../src/plugin/signatures/presets.js';
import { folderWith } from '../config/config-folder.js';
import { type Endpoint, source, startEndpoint } from '../ingress/outside.js';
import { call } from './call.js';

const PAYLOAD = { id: 'e-1', type: 'invoice.paid', object_kind: 'push', action: 'created', data: { object: { id: 'in_1' } } };
const OWN_SCHEME = {
  ...{ algorithm: 'hmac-sha512', content: '{timestamp}/{url}/{body}' },
  signature: { header: 'x-proof', pairs: ';', key: 'mac', encoding: 'base64' },
  timestamp: { pair: 'at', unit: 'ms' },
};

const keys = generateKeyPairSync('ed25519');
const PRIVATE = keys.privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32);
const PUBLIC = keys.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);

const symmetric = Object.keys(presets).filter((name) => schemeFrom(name).algorithm !== 'ed25519');
const connections: Record<string, { secret: string; signature: unknown } & Record<string, unknown>> = {
  ...Object.fromEntries(symmetric.map((signature) => [signature, { signature, secret: newSecretFor(schemeFrom(signature)) ?? '' }])),
  own: {
    signature: OWN_SCHEME,
    secret: 'a secret of the sender',
    deliveryId: { header: ['X-Own-Id'] },
    eventKey: ['type', { header: 'X-Own-Kind' }],
  },
  cloud: { signature: 'token', secret: 'a secret of the sender', format: 'cloudevents' },
  keys: { signature: 'discord', secret: PUBLIC.toString('hex') },
};

describe('throughline send for a connection of the plugin webhook', () => {
  let endpoint: Endpoint;
  let url: string;
  let cwd: string;
  const send = (name: string, ...args: string[]) =>
    call(cwd, ['send', `default/${name}`, '--payload', 'event.json', ...args], { env: { THROUGHLINE_SERVER__PORT: new URL(url).port } });

  beforeEach(async () => {
    const [transport] = new WebhookProvider().transports;
    if (transport === undefined) throw new Error('the plugin has no transport');
    const sources = Object.entries(connections).map(([name, { secret, ...options }]) => {
      const connection = { name, org: 'default', source: 'public' as const, secrets: [secret], options };
      return source(name, transport, { connection });
    });
    endpoint = await startEndpoint(sources);
    await endpoint.app.listen(0, '127.0.0.1');
    url = await endpoint.app.getUrl();
    const config = {
      connections: Object.fromEntries(Object.entries(connections).map(([name, each]) => [name, { plugin: 'webhook', ...each }])),
    };
    cwd = folderWith({
      'throughline.config.json': JSON.stringify(config),
      'event.json': JSON.stringify(PAYLOAD),
      'cloud.json': JSON.stringify({ specversion: '1.0', id: 'c-1', source: '/x', type: 'thing.made' }),
    });
  });
  afterEach(() => endpoint.app.close());

  it.each(symmetric)('SIG-2 signs as a sender of %s does', async (name) => {
    expect(await send(name)).toEqual({ code: 0, stdout: '200  unmatched  first  no conversation\n', stderr: '' });
    expect(endpoint.admission.events).toHaveLength(1);
  });

  it('SIG-2 signs by parameters, with delivery id and kind where the connection looks for them, the same over repetitions', async () => {
    expect(await send('own', '--event', 'urgent', '--delivery', 'd-7', '--times', '2')).toMatchObject({ code: 0 });
    expect(endpoint.admission.events).toMatchObject([{ deliveryId: 'd-7', eventKey: 'invoice.paid.urgent' }]);
    expect(await send('own', '--header', 'X-Own-Kind: calm')).toMatchObject({ code: 0 });
    expect(endpoint.admission.events[1]).toMatchObject({ eventKey: 'invoice.paid.calm' });
  });

  it('sends CloudEvents as such', async () => {
    const args = ['send', 'default/cloud', '--payload', 'cloud.json', '--url', url];
    expect(await call(cwd, args)).toMatchObject({ code: 0 });
    expect(endpoint.admission.events).toMatchObject([{ eventKey: 'thing.made', deliveryId: '/x c-1' }]);
  });

  it('SIG-2 signs with a private key that it is given, and asks for it', async () => {
    expect(await send('keys')).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining('say its private key with --secret') });
    expect(await send('keys', '--secret', PRIVATE.toString('hex'))).toMatchObject({ code: 0 });
    const refused = await send('keys', '--secret', 'no key of any kind');
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('private key of Ed25519') });
    expect(refused.stderr).not.toContain('no key of any kind');
  });

  it('needs no configuration for a webhook of the API: --signature, --secret and --url say all', async () => {
    const secret = connections['hmac-sha256-hex']?.secret ?? '';
    const args = ['--signature', 'hmac-sha256-hex', '--secret', secret, '--url', url];
    const folder = folderWith({ 'throughline.config.yaml': 'wrong: true', 'event.json': '{}' });
    expect(await call(folder, ['send', 'default/hmac-sha256-hex', '--payload', 'event.json', ...args])).toMatchObject({ code: 0 });
    const wrong = await call(folder, ['send', 'default/x', '--payload', 'event.json', ...args, '--signature', 'sha']);
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('"sha" is no signature preset') });
    expect(await send('own', '--header', 'no header')).toMatchObject({ code: 2, stderr: expect.stringContaining('It must be a header') });
  });
});
