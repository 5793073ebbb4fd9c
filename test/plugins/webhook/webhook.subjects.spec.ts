import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { senders } from '../../../plugins/webhook/senders.js';
import { connection, parse, read, recorded, request, subjects } from './webhook.requests.js';

const TICKET = {
  type: 'ticket.commented',
  ticket: { id: 7, title: 'It is slow', state: 'open', url: 'https://desk.example/7' },
  user: { id: 'u1', name: 'ada', bot: false, groups: ['staff', 3] },
  comment: { id: 12, text: ' since monday ' },
  at: '2026-01-01T10:00:00+01:00',
};
const OPTIONS = {
  ...{ subject: 'ticket.id', text: 'comment.text', title: 'ticket.title', url: 'ticket.url', occurredAt: 'at' },
  ...{ author: '{id: user.id, name: user.name, bot: user.bot, roles: user.groups}', messageKey: 'comment.id' },
  ...{ terminal: "type == 'ticket.closed'", open: "type == 'ticket.reopened'", reason: 'ticket.state' },
};

describe('a mapped event', () => {
  it('IDN-1 is what the expressions of its connection say', () => {
    expect(parse(TICKET, OPTIONS)).toEqual({
      kind: 'prompt',
      subject: { namespace: 'webhook:desk', key: '7' },
      text: 'since monday',
      title: 'It is slow',
      url: 'https://desk.example/7',
      author: { id: 'u1', name: 'ada', isBot: false, roles: ['staff'] },
      messageKey: '12',
      occurredAt: '2026-01-01T09:00:00.000Z',
    });
    expect(parse(TICKET, { ...OPTIONS, namespace: 'desk:acme' }).subject).toEqual({ namespace: 'desk:acme', key: '7' });
  });

  it('IDN-3 has no subject where the expression gives none, and none that is trimmed', () => {
    for (const id of [null, true, '', '  ', {}, [], 2 ** 60]) expect(parse({ ...TICKET, ticket: { id } }, OPTIONS).subject).toBeNull();
    expect(parse({ ...TICKET, ticket: { id: ' 7' } }, OPTIONS).subject?.key).toBe(' 7');
  });

  it('TRM-1 ends and begins its subject where it says so', () => {
    const closed = { ...TICKET, type: 'ticket.closed', ticket: { ...TICKET.ticket, state: 'solved' } };
    const revision = '2026-01-01T09:00:00.000Z';
    expect(parse(closed, OPTIONS)).toMatchObject({
      kind: 'lifecycle',
      observation: { state: 'terminal', reason: 'solved', revision, transition: true },
    });
    expect(parse({ ...closed, ticket: { id: 7, state: 'no word' } }, OPTIONS)).toMatchObject({ observation: { reason: 'closed' } });
    expect(parse({ ...closed, ticket: {} }, OPTIONS)).toMatchObject({ kind: 'recorded', reason: 'no_subject' });
    expect(parse({ ...TICKET, type: 'ticket.reopened' }, OPTIONS)).toMatchObject({
      kind: 'prompt',
      observation: { state: 'open', revision, transition: true },
    });
    expect(parse({ ...TICKET, type: 'ticket.reopened' }, { ...OPTIONS, revision: 'ticket.id' })).toMatchObject({
      observation: { revision: '1970-01-01T00:00:07.000Z' },
    });
  });

  it.each([
    ['2023-02-20 19:43:43 UTC', '2023-02-20T19:43:43.000Z'],
    [1_677_834_000, '2023-03-03T09:00:00.000Z'],
    [1_677_834_000_123, '2023-03-03T09:00:00.123Z'],
    ['yesterday', undefined],
  ])('reads the instant %j', (at, expected) => {
    expect(parse({ ...TICKET, at }, OPTIONS).occurredAt).toBe(expected);
  });

  it('has an author by id alone, or none', () => {
    const authorOf = (user: unknown, author = 'user') => parse({ ...TICKET, user }, { author }).author;
    expect(authorOf('ada')).toEqual({ id: 'ada', name: 'ada', isBot: false });
    expect(authorOf({ id: 3, bot: true })).toEqual({ id: '3', name: '3', isBot: true });
    for (const nobody of [null, {}, { name: 'ada' }, [], false]) expect(authorOf(nobody)).toBeUndefined();
  });

  it('ING-4 is recorded where its kind should have a name and has none', () => {
    expect(read(request({}), { eventKey: 'type' }).parsed).toMatchObject({ kind: 'recorded', reason: 'unknown_event' });
    expect(read(request({}), {}).parsed).toMatchObject({ kind: 'prompt' });
  });
});

describe('the text of a mapped event', () => {
  const textOf = (payload: unknown, options: object = {}) => (parse(payload, options) as { text: string }).text;
  const github = {
    repository: { full_name: 'acme/api' },
    issue: { number: 7, body: 'It is slow', html_url: 'https://x/7' },
    sender: { login: 'ada' },
  };

  it('AUT-4 is the message that the payload obviously carries, with author and link', () => {
    const commented = { ...github, comment: { body: 'Any news?', html_url: 'https://x/7#1', user: { login: 'bob' } } };
    expect(textOf(commented)).toBe('@bob commented on acme/api#7:\n\nAny news?\n\nhttps://x/7#1');
    expect(textOf({ ...github, type: 'issues.opened' })).toBe('@ada [`issues.opened`] on acme/api#7:\n\nIt is slow\n\nhttps://x/7');
    expect(textOf({ type: 'note', text: 'hello' })).toBe('Someone sent a new desk message (note):\n\nhello');
    expect(textOf({ payload: { event: { text: 'nested', user: 'U1' } } })).toBe('@U1 sent a new desk message (event):\n\nnested');
    expect(textOf({ text: 'vague', payload: { comment: { body: 'telling' } } })).toContain('telling');
  });

  it('AUT-4 is empty where there is none, so that the host shows the payload', () => {
    for (const payload of [{}, { text: 7 }, { comment: { body: ' ' } }, [], null, 'text']) expect(textOf(payload)).toBe('');
    expect(textOf(github, { text: 'issue.title' })).toContain('It is slow');
    expect(textOf(github, { text: 'issue.body' })).toBe('It is slow');
  });
});

describe('presets', () => {
  const sentry = {
    action: 'resolved',
    actor: { type: 'user', id: 12, name: 'ada' },
    data: {
      issue: {
        id: '4509',
        title: 'TypeError',
        culprit: 'checkout in pay',
        web_url: 'https://sentry.example/4509',
        lastSeen: '2026-01-01T00:00:00Z',
      },
    },
    installation: { uuid: 'a8e5d37a' },
  };
  const send = (body: object, resource: string) =>
    read(request(body, { 'sentry-hook-resource': resource, 'request-id': 'r-1' }), { signature: 'sentry' });

  it('know the issues of Sentry, their comments, and their end', () => {
    expect(send({ ...sentry, action: 'created' }, 'issue')).toMatchObject({
      id: 'r-1',
      key: 'issue.created',
      parsed: {
        kind: 'prompt',
        subject: { namespace: 'webhook:desk', key: '4509' },
        text: 'TypeError\ncheckout in pay',
        title: 'TypeError',
        author: { id: '12', name: 'ada' },
        observation: { state: 'open' },
      },
    });
    expect(send(sentry, 'issue').parsed).toMatchObject({ kind: 'lifecycle', observation: { state: 'terminal', reason: 'resolved' } });
    const comment = {
      action: 'created',
      actor: { type: 'application', id: 'sentry' },
      data: { issue_id: '4509', comment_id: '88', comment: 'Looking' },
    };
    const { key, parsed } = send(comment, 'comment');
    expect(key).toBe('comment.created');
    expect(parsed).toMatchObject({ kind: 'prompt', subject: { key: '4509' }, text: 'Looking', messageKey: 'comment 88' });
    expect(parsed.author).toBeUndefined();
    expect(send({ action: 'critical', data: { metric_alert: { id: 5 }, description_title: 'Slow' } }, 'metric_alert').parsed).toMatchObject(
      {
        subject: { key: 'metric_alert 5' },
        text: 'Slow',
      },
    );
  });

  it('know what hangs together at GitLab', () => {
    const hook = (body: object) => parse(body, { signature: 'gitlab-token' });
    const project = { id: 5 };
    const note = { object_kind: 'note', project, object_attributes: { id: 9, note: 'LGTM' }, merge_request: { iid: 3, title: 'Faster' } };
    expect(hook(note)).toMatchObject({ kind: 'prompt', subject: { key: '5!3' }, text: 'LGTM', title: 'Faster', messageKey: 'note 9' });
    const merged = {
      object_kind: 'merge_request',
      project,
      object_attributes: { iid: 3, action: 'merge', state: 'merged', updated_at: '2026-01-01 00:00:00 UTC' },
    };
    expect(hook(merged)).toMatchObject({
      kind: 'lifecycle',
      subject: { key: '5!3' },
      observation: { reason: 'merged', revision: '2026-01-01T00:00:00.000Z' },
    });
    expect(hook({ ...note, merge_request: undefined, issue: { iid: 3 } }).subject?.key).toBe('5#3');
    expect(hook({ ...merged, project: undefined })).toMatchObject({ kind: 'recorded', reason: 'no_subject' });
    expect(hook({ object_kind: 'push', project }).subject).toBeNull();
  });

  it('let a connection say otherwise, key by key', () => {
    const invoice = recorded('custom/stripe.invoice-paid.json');
    const { id, parsed } = read(invoice, { signature: 'stripe', subject: 'data.object.customer' });
    expect([id, parsed.subject?.key]).toEqual(['evt_1MhUT7E0b6fckueShdwYrsWN', 'cus_NSPHp4fOlXGw8P']);
  });

  it('are pure and total, whatever they are given', () => {
    const names = fc.constantFrom(
      'object_kind',
      'object_attributes',
      'project',
      'data',
      'issue',
      'id',
      'action',
      'type',
      'user',
      'comment',
      'body',
      'pullrequest',
    );
    const payloads = fc.oneof(fc.jsonValue(), fc.dictionary(names, fc.oneof(fc.jsonValue(), fc.dictionary(names, fc.jsonValue()))));
    fc.assert(
      fc.property(fc.constantFrom(...senders.keys()), payloads, (signature, payload) => {
        const event = { connection: connection({ signature }), eventKey: 'x', payload };
        const parsed = subjects.parse(event);
        expect(subjects.parse(event)).toStrictEqual(parsed);
        expect(JSON.parse(JSON.stringify(parsed))).toStrictEqual(parsed);
      }),
      { numRuns: 500 },
    );
  });
});
