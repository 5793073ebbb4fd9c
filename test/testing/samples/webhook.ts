import type { ProviderSamples, SampleEvent, SampleRequest } from 'throughline/testing';
import { fixtureText } from '../../plugins/golden.js';
import { hmac } from './signed.js';

const SECRET = 'the secret of a sender';
const SENT_AT = 1_767_225_600;

const bodyOf = (name: string) => (JSON.parse(fixtureText(`custom/${name}.json`)) as { body: Record<string, unknown> }).body;
const gitlabIssue = bodyOf('gitlab.issue-hook') as { object_attributes: object; project: object };

function stripeRequest(name: string, seconds: number, more: Partial<SampleRequest> = {}): SampleRequest {
  const body = JSON.stringify(bodyOf(name));
  const headers = { 'content-type': 'application/json', 'stripe-signature': `t=${seconds},v1=${hmac(SECRET, `${seconds}.${body}`)}` };
  return { name, headers, body, sentAt: seconds * 1000, ...more };
}

/** A connection of a preset with signed bytes and times. */
export const stripeSamples: ProviderSamples = {
  options: { signature: 'stripe', subject: 'data.object.customer' },
  secrets: [SECRET],
  isTimed: true,
  requests: [
    stripeRequest('stripe.invoice-paid', SENT_AT, { eventKey: 'invoice.paid', deliveryId: 'evt_1MhUT7E0b6fckueShdwYrsWN' }),
    stripeRequest('stripe.invoice-paid', SENT_AT + 60, { name: 'sent again', again: 'stripe.invoice-paid' }),
    stripeRequest('stripe.checkout-session-completed', SENT_AT, { eventKey: 'checkout.session.completed' }),
  ],
  events: [
    { name: 'paid', eventKey: 'invoice.paid', payload: bodyOf('stripe.invoice-paid'), kind: 'prompt', about: 'the customer' },
    {
      name: 'bought',
      eventKey: 'checkout.session.completed',
      payload: bodyOf('stripe.checkout-session-completed'),
      kind: 'prompt',
      about: 'the customer',
    },
    {
      name: 'of another',
      eventKey: 'x',
      payload: { type: 'x', data: { object: { customer: 'cus_other' } } },
      kind: 'prompt',
      about: 'another customer',
    },
    { name: 'of nobody', eventKey: 'x', payload: { type: 'x' }, kind: 'prompt', about: null },
  ],
};

function gitlab(attributes: object, more: object = {}): Record<string, unknown> {
  return { ...gitlabIssue, object_attributes: { ...gitlabIssue.object_attributes, ...attributes }, ...more };
}

const gitlabEvent = (
  name: string,
  payload: object,
  kind: SampleEvent['kind'],
  about: string | null,
  state?: SampleEvent['state'],
): SampleEvent => ({
  ...{ name, eventKey: 'issue', payload, kind, about },
  ...(state && { state }),
});

const gitlabRequest = (name: string, id: string, body: object, more: Partial<SampleRequest> = {}): SampleRequest => ({
  ...{ name, body: JSON.stringify(body), deliveryId: id, ...more },
  headers: { 'content-type': 'application/json', 'x-gitlab-token': SECRET, 'idempotency-key': id },
});

/** A connection of a preset whose sender proves only that it knows a token. */
export const gitlabSamples: ProviderSamples = {
  options: { signature: 'gitlab-token' },
  secrets: [SECRET],
  requests: [
    gitlabRequest('an issue', 'g-1', gitlabIssue, { eventKey: 'issue' }),
    gitlabRequest('the issue, sent again', 'g-1', gitlabIssue, { again: 'an issue' }),
    gitlabRequest('a push', 'g-2', bodyOf('gitlab.push-hook'), { eventKey: 'push' }),
  ],
  events: [
    gitlabEvent('an issue', gitlab({ action: 'open' }), 'prompt', 'issue 1', 'open'),
    gitlabEvent('renamed', gitlab({ action: 'update', title: 'Another title' }), 'prompt', 'issue 1'),
    gitlabEvent('closed', gitlab({ action: 'close', state: 'closed' }), 'lifecycle', 'issue 1', 'terminal'),
    gitlabEvent('a merge request', gitlab({ action: 'open' }, { object_kind: 'merge_request' }), 'prompt', 'merge request 1'),
    gitlabEvent(
      'of another project',
      gitlab({ action: 'open' }, { project: { ...gitlabIssue.project, id: 5 } }),
      'prompt',
      'issue 1 elsewhere',
    ),
    gitlabEvent('a push', bodyOf('gitlab.push-hook'), 'prompt', null),
  ],
};

const cloudEvent = (id: string, subject: string, more: object = {}) => ({
  ...{ specversion: '1.0', type: 'ticket.updated', source: '/desk', subject, id, data: { text: `message ${id}` } },
  ...more,
});

const cloudRequest = (name: string, type: string, body: unknown, more: Partial<SampleRequest> = {}): SampleRequest => ({
  ...{ name, body: JSON.stringify(body), headers: { 'content-type': type, 'x-webhook-token': SECRET, ...more.headers } },
  ...(more.deliveryId !== undefined && { deliveryId: more.deliveryId }),
  ...(more.again !== undefined && { again: more.again }),
});

/** A connection for CloudEvents, in each of their forms. */
export const cloudEventSamples: ProviderSamples = {
  options: { signature: 'token', format: 'cloudevents' },
  secrets: [SECRET],
  requests: [
    cloudRequest('structured', 'application/cloudevents+json', cloudEvent('1', 'T-1'), { deliveryId: '/desk 1' }),
    cloudRequest(
      'binary',
      'application/json',
      { text: 'message 1' },
      {
        ...{ deliveryId: '/desk 1', again: 'structured' },
        headers: { 'ce-specversion': '1.0', 'ce-type': 'ticket.updated', 'ce-source': '/desk', 'ce-subject': 'T-1', 'ce-id': '1' },
      },
    ),
    cloudRequest('batched', 'application/cloudevents-batch+json', [cloudEvent('2', 'T-1'), cloudEvent('3', 'T-2')], {
      deliveryId: '/desk 2\n/desk 3',
    }),
  ],
  events: [
    { name: 'one', eventKey: 'ticket.updated', payload: cloudEvent('1', 'T-1'), kind: 'prompt', about: 'T-1' },
    { name: 'two', eventKey: 'ticket.updated', payload: cloudEvent('2', 'T-1', { type: 'ticket.closed' }), kind: 'prompt', about: 'T-1' },
    { name: 'three', eventKey: 'ticket.updated', payload: cloudEvent('3', 'T-2'), kind: 'prompt', about: 'T-2' },
    {
      name: 'elsewhere',
      eventKey: 'ticket.updated',
      payload: cloudEvent('1', 'T-1', { source: '/other' }),
      kind: 'prompt',
      about: 'T-1 elsewhere',
    },
  ],
};
