import type { ProviderSamples, SampleEvent, SampleRequest, Stage } from 'throughline/testing';
import { GithubServer, REPOSITORY, refusal } from '../../fakes/github/github-server.js';
import { SUBJECT } from '../../plugins/github/github.writing.js';
import { fixtureText } from '../../plugins/golden.js';
import { hmac } from './signed.js';

const SECRET = 'the secret of a webhook at GitHub';
const ISSUE = `issue 1 of ${REPOSITORY}`;
const PULL_REQUEST = `pull request 2 of ${REPOSITORY}`;

function request(event: string, file: string, id: string, more: Partial<SampleRequest> = {}): SampleRequest {
  const body = fixtureText(`github/${file}`);
  const headers = { 'x-github-event': event, 'x-github-delivery': id, 'x-hub-signature-256': `sha256=${hmac(SECRET, body)}` };
  return { name: `${file} as ${id}`, headers: { 'content-type': 'application/json', ...headers }, body, deliveryId: id, ...more };
}

function event(eventKey: string, file: string, kind: SampleEvent['kind'], about: string | null, state?: SampleEvent['state']): SampleEvent {
  return { name: file, eventKey, payload: JSON.parse(fixtureText(`github/${file}`)), kind, about, ...(state && { state }) };
}

interface GithubStage extends Stage {
  readonly server: GithubServer;
}

const HOOK = { id: 7, owner: 'acme/api' };
const NOWHERE = 'http://127.0.0.1:9/v1/events/default/sample';

function commented(server: GithubServer, comment: unknown) {
  const issue = { number: 12, pull_request: {} };
  return { eventKey: 'issue_comment.created', payload: server.event(12, 'created', { comment, issue }) };
}

/** Somebody comments, and nobody takes the event; what is younger than a minute is not asked for yet. */
async function happen({ server }: GithubStage, number: number): Promise<void> {
  server.hook.url = NOWHERE;
  await server.hook.deliver('issue_comment', commented(server, server.say(12, `comment ${number}`)).payload);
  server.door.aheadMs += 120_000;
}

const isWrite = ({ method }: { method: string }) => method !== 'GET';

export const githubSamples: ProviderSamples<GithubStage> = {
  secrets: [SECRET],
  requests: [
    request('issue_comment', 'issue_comment/created.json', 'd-1', { eventKey: 'issue_comment.created' }),
    request('issue_comment', 'issue_comment/created.json', 'd-1', { name: 'sent again', again: 'issue_comment/created.json as d-1' }),
    request('push', 'push/payload.json', 'd-2', { eventKey: 'push' }),
  ],
  events: [
    event('issue_comment.created', 'issue_comment/created.json', 'prompt', ISSUE, 'open'),
    event('issue_comment.created', '_constructed/issue_comment.created.after-rename.json', 'prompt', ISSUE),
    event('issue_comment.edited', 'issue_comment/edited.json', 'edit', ISSUE),
    event('issues.closed', '_constructed/issues.closed.completed.json', 'lifecycle', ISSUE, 'terminal'),
    event('issues.reopened', 'issues/reopened.json', 'prompt', ISSUE, 'open'),
    event('pull_request_review.submitted', '_constructed/pull_request_review.submitted.approved.json', 'prompt', PULL_REQUEST),
    event('pull_request.closed', '_constructed/pull_request.closed.merged.json', 'lifecycle', PULL_REQUEST, 'terminal'),
    event('push', 'push/payload.json', 'prompt', null),
  ],
  stage: async () => {
    const server = await GithubServer.start();
    server.addIssue(12, { isPullRequest: true });
    return {
      ...{ server, options: { apiUrl: server.url, token: server.token, hook: HOOK }, close: () => server.close() },
      now: () => Date.parse(server.issues.get(12)?.updatedAt ?? ''),
      loseAnswer: () => server.once(isWrite, 'drop'),
      refuse: () => server.once(isWrite, refusal(403, 'Resource not accessible by personal access token')),
    };
  },
  poll: { happen },
  backfill: { happen },
  control: {
    ...{ parent: 'acme/api', subject: SUBJECT },
    callback: (_, { server }) => commented(server, server.issues.get(12)?.comments.at(-1)),
  },
  writes: [
    {
      ...{ tool: 'github_comment', input: { body: 'Fixed in 3' }, subject: SUBJECT },
      callback: (_, { server }) => commented(server, server.issues.get(12)?.comments[0]),
    },
    {
      ...{ tool: 'github_review', input: { verdict: 'comment', body: 'Not yet' }, subject: SUBJECT },
      callback: (_, { server }) => ({
        eventKey: 'pull_request_review.submitted',
        payload: server.event(12, 'submitted', { review: server.issues.get(12)?.reviews[0] }),
      }),
    },
    {
      ...{ tool: 'github_labels_set', input: { labels: ['bug', 'urgent'] }, subject: SUBJECT },
      callback: (_, { server }) => ({
        eventKey: 'pull_request.labeled',
        payload: server.event(12, 'labeled', { label: server.issues.get(12)?.labels[0] }),
      }),
    },
  ],
};
