import { createHmac } from 'node:crypto';
import type { ProviderSamples, SampleRequest, Stage } from 'throughline/testing';
import { TicketServer } from './ticket-server.js';

const SECRET = 'the secret of the tickets';
const SUBJECT = { namespace: 'tickets:acme:ticket', key: '7' };

/** What the provider posts. Recorded bodies are better, where there are some. */
function body(action: string, more: object = {}, ticket: object = {}) {
  const state = action === 'closed' ? 'closed' : 'open';
  return {
    ...{ tenant: 'acme', action, user: { id: 1, name: 'ada', bot: false } },
    ...{ ticket: { id: 7, title: 'It is slow', state, updated: '2026-01-01T10:00:00Z', ...ticket }, ...more },
  };
}

function comment(id: string, client?: string) {
  return { comment: { id, text: 'since monday', updated: '2026-01-01T11:00:00Z', ...(client && { client }) } };
}

/** As the provider signs it. */
function request(name: string, deliveryId: string, payload: object, more: Partial<SampleRequest> = {}): SampleRequest {
  const bytes = JSON.stringify(payload);
  const signature = createHmac('sha256', SECRET).update(bytes).digest('hex');
  const headers = { 'content-type': 'application/json', 'x-tickets-id': deliveryId, 'x-tickets-signature': signature };
  return { name, headers, body: bytes, deliveryId, ...more };
}

interface TicketStage extends Stage {
  readonly server: TicketServer;
}

export const samples: ProviderSamples<TicketStage> = {
  options: { apiUrl: 'https://tickets.example', token: 't' },
  secrets: [SECRET],
  requests: [
    request('a ticket', 'e-1', body('opened'), { eventKey: 'ticket.opened' }),
    request('its second try', 'e-1', body('opened'), { again: 'a ticket' }),
    request('a comment', 'e-2', body('commented', comment('c1')), { eventKey: 'ticket.commented' }),
  ],
  events: [
    { name: 'a ticket', eventKey: 'ticket.opened', payload: body('opened'), kind: 'prompt', about: 'ticket 7' },
    {
      name: 'a comment',
      eventKey: 'ticket.commented',
      payload: body('commented', comment('c1')),
      kind: 'prompt',
      about: 'ticket 7',
      state: 'open',
    },
    {
      name: 'a comment after a renaming',
      eventKey: 'ticket.commented',
      payload: body('commented', comment('c2'), { title: 'It is fast' }),
      kind: 'prompt',
      about: 'ticket 7',
    },
    { name: 'an edit', eventKey: 'ticket.edited', payload: body('edited', comment('c1')), kind: 'edit', about: 'ticket 7' },
    { name: 'the end', eventKey: 'ticket.closed', payload: body('closed'), kind: 'lifecycle', about: 'ticket 7', state: 'terminal' },
    { name: 'another ticket', eventKey: 'ticket.opened', payload: body('opened', {}, { id: 8 }), kind: 'prompt', about: 'ticket 8' },
    {
      name: "another tenant's",
      eventKey: 'ticket.opened',
      payload: body('opened', { tenant: 'other' }),
      kind: 'prompt',
      about: 'their ticket 7',
    },
    { name: 'something else', eventKey: 'unknown', payload: { hello: 'world' }, kind: 'recorded', about: null },
  ],
  stage: async () => {
    const server = await TicketServer.start();
    return {
      ...{ server, options: { apiUrl: server.url, token: 't' }, close: () => server.close() },
      loseAnswer: () => Object.assign(server, { refuses: false, answers: false }),
      refuse: () => Object.assign(server, { refuses: true }),
    };
  },
  writes: [
    {
      ...{ tool: 'ticket_comment', input: { text: 'on it' }, subject: SUBJECT },
      callback: ({ ids, key }) => ({ eventKey: 'ticket.commented', payload: body('commented', comment(ids.comment ?? '', key)) }),
    },
  ],
};
