import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { verifySignature } from '../../../src/ingress/signatures/verify-signature.js';
import { InvalidInput } from '../../../src/plugin/index.js';
import { presets } from '../../../src/plugin/signatures/presets.js';
import { schemeFrom } from '../../../src/plugin/signatures/scheme-from.js';
import { sign } from '../../ingress/outside.js';

const faultsOf = (value: unknown): string[] => {
  try {
    schemeFrom(value);
    return [];
  } catch (error) {
    if (error instanceof InvalidInput) return error.faults.map(({ path }) => path);
    throw error;
  }
};

describe('SIG-2 schemes as people write them', () => {
  it('knows presets and their aliases by name', () => {
    expect(schemeFrom('slack-v0')).toEqual(schemeFrom('slack'));
    expect(schemeFrom('discord-ed25519')).toEqual(schemeFrom('discord'));
    expect(() => schemeFrom('sha')).toThrow(/"sha" is no signature preset; use one of basic, bitbucket/);
    expect(() => schemeFrom('none')).toThrow(InvalidInput);
    expect(() => schemeFrom('__proto__')).toThrow(InvalidInput);
  });

  it('lets the prefix of the generic scheme be missing, and its header be another', () => {
    const scheme = schemeFrom('hmac-sha256-hex', 'signature', 'X-Acme-Signature');
    for (const value of [sign('b', 's'), `sha256=${sign('b', 's')}`]) {
      const request = {
        rawHeaders: [['X-Acme-Signature', value]] as const,
        body: Buffer.from('b'),
        url: '',
        secrets: ['s'],
        nowSeconds: 0,
      };
      expect(verifySignature(scheme, request).ok).toBe(true);
    }
  });

  it('names every fault with its path, all at once', () => {
    const faults = faultsOf({
      algorithm: 'md5',
      signature: { encoding: 'base32', prefix: 7 },
      timestamp: { header: 'x-t', pair: 't', tolerance: -1 },
      content: '{id}',
      extra: true,
    });
    expect(faults).toEqual(
      expect.arrayContaining([
        'signature.algorithm',
        'signature.signature.encoding',
        'signature.signature.prefix',
        'signature.signature.header',
        'signature.timestamp',
        'signature.timestamp.tolerance',
        'signature.content',
        'signature.id',
        'signature.extra',
      ]),
    );
    expect(faultsOf(null)).toContain('signature');
  });

  it('refuses a scheme that would not protect what it seems to', () => {
    const signature = { header: 'x-sig' };
    expect(faultsOf({ signature, content: '{url}' })).toEqual(['signature.content']);
    expect(faultsOf({ signature, timestamp: { header: 'x-t' } })).toEqual(['signature.content']);
    expect(faultsOf({ algorithm: 'token', signature, content: '{body}' })).toEqual(['signature.content']);
  });
});

describe('SIG-1 the verifier is total', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('', 'sha256=', 'v1,', 't=1,v1=', 'Basic ', 'Basic =', 'Bearer ', 'é'),
  );
  const names = [
    ...new Set(Object.values(presets).map(({ signature }) => signature.header)),
    'webhook-id',
    'webhook-timestamp',
    'x-slack-request-timestamp',
  ];

  it('answers and never throws, and believes nothing that was made up', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.values(presets)),
        fc.array(fc.tuple(fc.constantFrom(...names), text), { maxLength: 12 }),
        fc.uint8Array({ maxLength: 64 }),
        fc.array(text, { maxLength: 3 }),
        (scheme, rawHeaders, body, secrets) => {
          const given = rawHeaders.map(([, value]) => value);
          // Only a plain token can be guessed by chance, when the header is the secret.
          fc.pre(!secrets.some((secret) => secret !== '' && given.some((value) => value.includes(secret))));
          expect(verifySignature(scheme, { rawHeaders, body: Buffer.from(body), url: 'https://a.test/', secrets, nowSeconds: 1 }).ok).toBe(
            false,
          );
        },
      ),
      { numRuns: 500 },
    );
  });

  it('verifies nothing without a secret, or with one that is empty or not of its encoding', () => {
    const request = { rawHeaders: [['webhook-signature', 'v1,AAAA']] as const, body: Buffer.from('b'), url: '', nowSeconds: 0 };
    for (const secrets of [[], [''], ['whsec_'], ['whsec_!!!']])
      expect(verifySignature(presets.svix, { ...request, secrets }).ok).toBe(false);
  });

  it('refuses an id that could hand its end to the next part of what is signed', () => {
    const secret = `whsec_${Buffer.from('key').toString('base64')}`;
    const value = (content: string) => `v1,${Buffer.from(sign(content, 'key'), 'hex').toString('base64')}`;
    const verify = (id: string, content: string) =>
      verifySignature(presets['standard-webhooks'], {
        rawHeaders: [
          ['webhook-id', id],
          ['webhook-timestamp', '100'],
          ['webhook-signature', value(content)],
        ],
        body: Buffer.from('b'),
        url: '',
        secrets: [secret],
        nowSeconds: 100,
      }).ok;
    expect(verify('msg', 'msg.100.b')).toBe(true);
    expect(verify('msg.1', 'msg.1.100.b')).toBe(false);
  });
});
