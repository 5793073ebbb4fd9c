import { describe, expect, it } from '@jest/globals';
import { verifySignature } from '../../../src/ingress/signatures/verify-signature.js';
import { holds, vectorsOf } from '../signature-vectors.js';
import { connection, fixture, PUBLIC_KEY, press, request, signedHeaders, webhook } from './discord.events.js';

describe('the interactions endpoint', () => {
  it.each(vectorsOf('discord'))('SIG-3 describes the scheme so that $id is judged rightly: $why', (vector) => {
    const scheme = webhook.signature(connection({ publicKey: vector.public_key ?? '' }));
    expect(holds({ ...vector, secret: scheme.keys?.[0] ?? '' }, scheme)).toBe(vector.valid);
  });

  it('SIG-1 verifies with the public key of the options, and refuses a body that another signed', () => {
    const body = request(press('appr:7f3a:approve')).body;
    const scheme = webhook.signature(connection({ publicKey: PUBLIC_KEY }));
    const judged = (bytes: Buffer, secrets = scheme.keys ?? []) =>
      verifySignature(scheme, {
        rawHeaders: Object.entries(signedHeaders(body)),
        body: bytes,
        url: '',
        secrets,
        nowSeconds: Date.now() / 1000,
      });
    expect(judged(body).ok).toBe(true);
    expect(judged(Buffer.from(String(body).replace('approve', 'deny'))).ok).toBe(false);
    expect(judged(body, ['0'.repeat(64)]).ok).toBe(false);
  });

  it('SIG-1 has no key to believe anybody by where none is configured', () => {
    expect(webhook.signature(connection({ token: 'x' })).keys).toEqual([]);
  });

  it('answers PING, and nothing else as one', () => {
    expect(webhook.handshake(request(fixture('interaction.ping')))).toEqual({ status: 200, body: { type: 1 } });
    for (const payload of [null, {}, { type: '1' }, press('appr:7f3a:approve')]) expect(webhook.handshake(request(payload))).toBeNull();
  });

  it('defers what was understood, and says at once that a stale button means nothing', () => {
    const stored = { duplicate: false, receipt: '1', disposition: 'recorded' };
    const understood = webhook.reply(stored, request(press('appr:7f3a:approve')));
    expect(understood).toEqual({ status: 200, body: { type: 5, data: { flags: 64 } } });
    expect(webhook.reply(stored, request(press('buy:now')))).toMatchObject({ body: { type: 4, data: { flags: 64 } } });
  });

  it('ING-3 knows a delivery by the id of the interaction; without one it is refused', () => {
    expect(webhook.deliveryId(request(press('x')))).toBe('interaction.400000000000000002');
    expect(webhook.uniqueContent(request(press('x')))).toBe('interaction.400000000000000002');
    expect(webhook.deliveryId(request({ type: 3, id: 400 }))).toBeNull();
  });

  it('has an event key for each type', () => {
    const keyOf = (type: unknown) => webhook.eventKey(request({ type }));
    expect([3, 2, 5, 'x'].map(keyOf)).toEqual(['interaction.button', 'interaction.command', 'interaction.5', 'interaction.unknown']);
  });
});
