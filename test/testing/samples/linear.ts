import type { ProviderSamples, SampleEvent, SampleRequest, Stage } from 'throughline/testing';
import { ISSUE, LinearServer, refusal } from '../../fakes/linear/linear-server.js';
import { fixtureText } from '../../plugins/golden.js';
import { linearFixture } from '../../plugins/linear/linear.requests.js';
import { hmac } from './signed.js';

const SECRET = 'linear-webhook-signing-secret';
const ORGANISATION = 'dc844923-f9a4-40a3-825c-dea7747e57d6';
const SUBJECT = { namespace: `linear:${ORGANISATION}:issue`, key: ISSUE };
const STATE = '6b6b6b6b-0000-4000-8000-000000000006';

function request(name: string, id: string, more: Partial<SampleRequest> = {}): SampleRequest {
  const body = fixtureText(`linear/constructed/${name}.json`);
  const { webhookTimestamp: sentAt } = JSON.parse(body) as { webhookTimestamp: number };
  const headers = { 'content-type': 'application/json; charset=utf-8', 'linear-delivery': id, 'linear-signature': hmac(SECRET, body) };
  return { name, headers, body, sentAt, deliveryId: id, ...more };
}

function event(
  name: string,
  eventKey: string,
  kind: SampleEvent['kind'],
  about: string | null,
  more: Partial<SampleEvent> = {},
): SampleEvent {
  return { name, eventKey, payload: linearFixture(name), kind, about, ...more };
}

interface LinearStage extends Stage {
  readonly server: LinearServer;
}

const isWrite = ({ body }: { body: string }) => body.includes('mutation');
const comment = linearFixture('comment.create');
const started = linearFixture('issue.update.state-started');
const titled = linearFixture('issue.update.title');

const ADA = { id: '33333333-0000-4000-8000-000000000003', name: 'Ada' };
const idOf = (number: number) => `44444444-0000-4000-8000-00000000000${number}`;

function commented({ comments: [written] }: LinearServer) {
  const data = { ...comment.data, id: written?.id, updatedAt: written?.updatedAt, issueId: ISSUE };
  return { eventKey: 'Comment.create', payload: { ...comment, data } };
}

export const linearSamples: ProviderSamples<LinearStage> = {
  secrets: [SECRET],
  isTimed: true,
  requests: [
    request('comment.create', 'd-1', { eventKey: 'Comment.create' }),
    request('comment.create', 'd-1', { name: 'sent again', again: 'comment.create' }),
    request('issue.update.title', 'd-2', { eventKey: 'Issue.update' }),
  ],
  events: [
    event('comment.create', 'Comment.create', 'prompt', 'LIN-1778'),
    event('issue.update.title', 'Issue.update', 'prompt', 'LIN-1778', { state: 'open' }),
    event('issue.update.team-moved', 'Issue.update', 'prompt', 'LIN-1778'),
    event('issue.update.state-completed', 'Issue.update', 'lifecycle', 'LIN-1778', { state: 'terminal' }),
    event('issue.update.state-reopened', 'Issue.update', 'prompt', 'LIN-1778', { state: 'open' }),
    event('issue.update.title', 'Issue.update', 'prompt', 'another issue', {
      ...{
        name: 'another issue with the same name',
        payload: { ...titled, data: { ...titled.data, id: '11111111-0000-4000-8000-000000000001' } },
      },
    }),
    event('issue.update.title', 'Issue.update', 'prompt', 'an issue of others', {
      ...{ name: 'the issue in another organisation', payload: { ...titled, organizationId: '22222222-0000-4000-8000-000000000002' } },
    }),
    event('oauthapp.revoked', 'OAuthApp.revoked', 'recorded', null),
  ],
  stage: async () => {
    const server = await LinearServer.start();
    return {
      ...{ server, options: { apiUrl: server.url, token: server.token }, close: () => server.close() },
      loseAnswer: () => server.once(isWrite, 'drop'),
      refuse: () => server.once(isWrite, refusal('forbidden', 'no')),
    };
  },
  poll: {
    happen: ({ server }, number) => {
      const state = { id: STATE, name: 'In Progress', type: 'started' };
      server.issues.push({ id: idOf(number), identifier: `LIN-${number}`, title: 'Slow', updatedAt: new Date().toISOString(), state });
    },
  },
  backfill: {
    happen: ({ server }, number) => {
      const [at, issue] = [new Date().toISOString(), { id: ISSUE, identifier: 'LIN-1778', title: 'Slow' }];
      server.comments.push({ id: idOf(number), body: `comment ${number}`, createdAt: at, updatedAt: at, issue, user: ADA });
    },
  },
  // What an agent says in its session is not told back to it.
  control: { parent: 'linear', subject: SUBJECT, callback: () => null },
  writes: [
    {
      ...{ tool: 'linear_comment', input: { body: 'Fixed' }, subject: SUBJECT },
      callback: (_, { server }) => commented(server),
    },
    {
      ...{ tool: 'linear_plan', input: { plan: 'Look, then repair' }, subject: SUBJECT },
      callback: (_, { server }) => commented(server),
    },
    {
      ...{ tool: 'linear_set_state', input: { stateId: STATE }, subject: SUBJECT },
      callback: (_, { server }) => {
        const state = { ...(started.data.state as object), id: STATE };
        const data = { ...started.data, id: ISSUE, state, stateId: STATE, updatedAt: server.issue.updatedAt };
        return { eventKey: 'Issue.update', payload: { ...started, data } };
      },
    },
  ],
};
