import { describe, expect, it } from '@jest/globals';
import { InvalidInput } from 'throughline/plugin';
import { fixtureText } from '../golden.js';
import { cloudEvent, connection, request, subjects, webhook } from './webhook.requests.js';

const at = connection({ format: 'cloudevents' });
const events = (sent: ReturnType<typeof request>) => webhook.events(sent, at) ?? [];

describe('CloudEvents', () => {
  it('are the same event, whichever form they come in', () => {
    const forms = ['binary', 'structured', 'batch'].map((form) => events(cloudEvent(form))[0]);
    for (const event of forms) {
      expect(event).toMatchObject({
        deliveryId: '/tenants/acme/tickets A234-1234-1234',
        eventKey: 'com.example.ticket.updated',
        payload: { specversion: '1.0', subject: 'TCK-42', data: { status: 'open' } },
      });
      expect(subjects.parse({ connection: at, eventKey: event?.eventKey ?? '', payload: event?.payload })).toMatchObject({
        kind: 'prompt',
        subject: { namespace: 'webhook:desk', key: '/tenants/acme/tickets TCK-42' },
        occurredAt: '2026-01-01T00:00:00.000Z',
      });
    }
    expect(events(cloudEvent('batch')).map(({ deliveryId }) => deliveryId)).toEqual([
      '/tenants/acme/tickets A234-1234-1234',
      '/tenants/acme/tickets A234-1234-1235',
    ]);
  });

  it('keep the exact bytes of what came structured', () => {
    const sent = cloudEvent('structured');
    expect(events(sent)[0]?.body).toBe(sent.body);
    expect(events(cloudEvent('binary'))[0]?.body).toBeUndefined();
  });

  it('have their headers unquoted and decoded, once', () => {
    const encoded = JSON.parse(fixtureText('cloudevents/binary.percent-encoded.json')) as { decoded_subject: string };
    expect(events(cloudEvent('binary.percent-encoded'))[0]?.payload).toMatchObject({ subject: encoded.decoded_subject });
    const sent = cloudEvent('binary');
    const subjectOf = (value: string) => events({ ...sent, headers: { ...sent.headers, 'ce-subject': value } })[0]?.payload;
    expect(subjectOf('"a \\"b\\""')).toMatchObject({ subject: 'a "b"' });
    expect(subjectOf('50%2525 of it')).toMatchObject({ subject: '50%25 of it' });
    expect(subjectOf('100% sure')).toMatchObject({ subject: '100% sure' });
  });

  it.each<[string, ReturnType<typeof request>, string]>([
    ['without an id', cloudEvent('invalid.missing-id'), 'has no id'],
    ['with bytes that are not UTF-8', cloudEvent('invalid.overlong-percent'), 'are not UTF-8'],
    [
      'of another version',
      request({ ...(cloudEvent('structured').payload as object), specversion: '0.3' }, cloudEvent('structured').headers),
      'another version',
    ],
    ['that are no objects', request([1], cloudEvent('batch').headers), 'at place 0 of the batch is no object'],
    ['in a batch that is none', request({}, cloudEvent('batch').headers), 'must be a list'],
    [
      'with a source that has a space',
      request({ ...(cloudEvent('structured').payload as object), source: 'a b' }, cloudEvent('structured').headers),
      'no URI',
    ],
    [
      'with a subject that is no text',
      request({ ...(cloudEvent('structured').payload as object), subject: 7 }, cloudEvent('structured').headers),
      'no text',
    ],
    [
      'with a type for their data beside the content type',
      request({}, { ...cloudEvent('binary').headers, 'ce-datacontenttype': 'text/plain' }),
      'ce-datacontenttype',
    ],
    ['with two ids', request({}, { ...cloudEvent('binary').headers, 'ce-id': ['1', '2'] }), 'more than one header ce-id'],
  ])('are refused %s', (_name, sent, message) => {
    expect(() => events(sent)).toThrow(InvalidInput);
    expect(() => events(sent)).toThrow(message);
  });

  it('have an id of bounded length, and those of different sources differ', () => {
    const of = (source: string, id: string) =>
      events(request({ specversion: '1.0', type: 't', source, id }, cloudEvent('structured').headers))[0]?.deliveryId;
    expect(of('/a', 'x'.repeat(400))).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(of('/a', '1')).not.toBe(of('/b', '1'));
  });

  it('are told apart and named by expressions of the connection as other events are', () => {
    const own = connection({ format: 'cloudevents', deliveryId: 'id', eventKey: ['type', 'data.status'], subject: 'data.id' });
    expect(webhook.events(cloudEvent('binary'), own)).toMatchObject([
      { deliveryId: 'A234-1234-1234', eventKey: 'com.example.ticket.updated.open' },
    ]);
    expect(webhook.events(cloudEvent('binary'), connection())).toBeNull();
  });

  it('may be asked leave for before they are sent', () => {
    const { request: asked, response } = JSON.parse(fixtureText('cloudevents/webhook-validation.json')) as {
      request: { headers: Record<string, string> };
      response: { status: number; headers: Record<string, string> };
    };
    const { 'webhook-allowed-rate': _rate, ...headers } = response.headers;
    expect(webhook.preflight(asked.headers, at)).toMatchObject({
      status: response.status,
      headers: { ...headers, 'webhook-allowed-rate': '*' },
    });
    expect(webhook.preflight({}, at)).toBeNull();
    expect(webhook.preflight(asked.headers, connection())).toBeNull();
  });
});
