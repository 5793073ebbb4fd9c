// Run by kit.spec.ts with `node --test`: the built package, as authors of plugins have it.
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { providerConformance } from 'throughline/testing';
import webhook from '../../dist/plugins/webhook/index.js';

const SECRET = 'a secret';

function request(name, id, payload, more = {}) {
  const body = JSON.stringify(payload);
  const headers = {
    'content-type': 'application/json',
    'x-id': id,
    'x-signature-256': createHmac('sha256', SECRET).update(body).digest('hex'),
  };
  return { name, headers, body, deliveryId: id, ...more };
}

const event = (name, payload, about) => ({ name, eventKey: 'note', payload, kind: 'prompt', about });

providerConformance({ describe, it }, webhook, {
  options: { subject: 'ticket', deliveryId: { header: 'x-id' } },
  secrets: [SECRET],
  requests: [
    request('one', '1', { ticket: 'T-1' }),
    request('again', '1', { ticket: 'T-1' }, { again: 'one' }),
    request('two', '2', { ticket: 'T-2' }),
  ],
  // One of the words is wrong where a test asks for it: then exactly one check has to fail.
  events: [event('one', { ticket: 'T-1' }, 'T-1'), event('two', { ticket: 'T-2' }, process.env.WRONG_WORD ?? 'T-2')],
});
