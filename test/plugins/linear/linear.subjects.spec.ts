import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fixturesIn, fixtureText } from '../golden.js';
import { issueUpdate, type Json, linearFixture, parse } from './linear.requests.js';

const ORGANIZATION = 'dc844923-f9a4-40a3-825c-dea7747e57d6';
const ISSUE = '539068e2-ae88-4d09-bd75-22eb4a59612f';
const PERSON = 'aacdca22-6266-4c0a-ab3c-8fa70a26765c';
const state = (type: string, name = 'Whatever') => ({ id: 'state-1', name, type });

describe('the subject of a Linear event', () => {
  it('IDN-1 B64 is one for every kind of event about one issue', () => {
    const names = ['issue.create.todo', 'issue.update.title', 'issue.remove', 'comment.create', 'comment.create.reply', 'comment.remove'];
    const more = ['reaction.create', 'issue-sla.breached', 'agent-session.created.mention', 'app-user-notification.issueAssignedToYou'];
    for (const name of [...names, ...more]) {
      expect(parse(linearFixture(name)).subject).toEqual({ namespace: `linear:${ORGANIZATION}:issue`, key: ISSUE });
    }
  });

  it('IDN-1 stays when the issue moves to another team and gets another identifier', () => {
    const moved = parse(linearFixture('issue.update.team-moved'));
    expect(moved.subject).toEqual(parse(linearFixture('issue.create.todo')).subject);
    expect(moved.title).toBe('[OPS-42] Repair scheduler');
  });

  it('IDN-1 differs between organisations', () => {
    const other = parse({ ...linearFixture('comment.create'), organizationId: 'another' });
    expect(other.subject?.namespace).toBe('linear:another:issue');
  });

  it('LIN-1 is read from `data.issue` when `data` does not have the issue itself', () => {
    const nested = parse({
      ...linearFixture('issue.update.title'),
      data: { issue: { id: ISSUE, state: state('completed'), updatedAt: '2026-01-01T00:00:00Z' } },
    });
    expect(nested).toMatchObject({ kind: 'lifecycle', subject: { key: ISSUE }, observation: { reason: 'completed' } });
  });

  it('LIN-1 takes the title from what there is, and cuts it at 100 characters without splitting one', () => {
    const titled = (data: Json) =>
      parse({ ...linearFixture('issue.create.todo'), url: 'https://linear.app/acme/issue/LIN-9/x', data: { id: ISSUE, ...data } }).title;
    expect(titled({ identifier: 'PYN-123', title: 'Repair scheduler' })).toBe('[PYN-123] Repair scheduler');
    expect(titled({ title: 'Repair scheduler' })).toBe('[LIN-9] Repair scheduler');
    expect(titled({ identifier: 'PYN-123' })).toBe('[PYN-123] Linear issue');
    expect(Array.from(titled({ title: '🔧'.repeat(200) }) ?? '')).toHaveLength(100);
  });
});

describe('the life of a Linear issue', () => {
  it.each(['completed', 'canceled', 'duplicate'])('LIN-2 TRM-1 ends with a state of the type %s, whatever its name', (type) => {
    const parsed = parse(issueUpdate({ state: state(type, 'In Progress'), updatedAt: '2026-01-01T01:00:00+01:00' }, { stateId: 'before' }));
    expect(parsed).toMatchObject({
      kind: 'lifecycle',
      observation: { state: 'terminal', reason: type, revision: '2026-01-01T00:00:00.000Z', transition: true },
      context: { stateId: 'state-1', stateType: type },
    });
  });

  it.each(['triage', 'backlog', 'unstarted', 'started'])(
    'LIN-2 is open in a state of the type %s, even one that is called Done',
    (type) => {
      const parsed = parse(issueUpdate({ state: state(type, 'Done') }, { stateId: 'before' }));
      expect(parsed).toMatchObject({ kind: 'prompt', observation: { state: 'open', transition: true } });
    },
  );

  it('LIN-2 is not stated by a type that is not known, nor by a name alone', () => {
    for (const unknown of [state('paused'), { id: 's', name: 'Done' }, { name: 'Completed', type: 7 }, null]) {
      expect(parse(issueUpdate({ state: unknown }, { stateId: 'before' }))).not.toHaveProperty('observation');
    }
  });

  it('TRM-1 is merely carried by an update of something else', () => {
    expect(parse(issueUpdate({}, { title: 'before' })).observation).toMatchObject({ state: 'open', transition: false });
    const closed = parse(issueUpdate({ state: state('completed') }, { title: 'before' }));
    expect(closed).toMatchObject({ kind: 'lifecycle', observation: { state: 'terminal', transition: false } });
  });

  it('TRM-1 has no revision where the payload has no instant', () => {
    const parsed = parse(issueUpdate({ state: state('completed'), updatedAt: 'yesterday' }, { stateId: 'before' }));
    expect(parsed.observation).toMatchObject({ revision: null });
  });

  it('TRM-6 opens again with a change back to an open state, and that change is a prompt', () => {
    expect(parse(linearFixture('issue.update.state-reopened'))).toMatchObject({
      kind: 'prompt',
      observation: { state: 'open', transition: true },
      text: 'State is now In Progress (started).',
    });
  });

  it('TRM-1 ends with its removal, at the instant of the removal when the issue was not touched by it', () => {
    const removal = linearFixture('issue.remove');
    const parsed = parse({ ...removal, createdAt: '2026-01-02T00:00:00.000Z' });
    expect(parsed).toMatchObject({
      kind: 'lifecycle',
      observation: { state: 'terminal', reason: 'deleted', revision: '2026-01-02T00:00:00.000Z', transition: true },
    });
  });

  it('TRM-1 ends in the trash and in the archive, and begins again when the issue is taken out', () => {
    const trashed = parse(issueUpdate({ trashed: true }, { trashed: null }));
    const archived = parse(issueUpdate({ archivedAt: '2026-01-01T00:00:00.000Z' }, { archivedAt: null }));
    const restored = parse(issueUpdate({ trashed: null, archivedAt: null }, { trashed: true, archivedAt: '2026-01-01T00:00:00.000Z' }));
    expect(trashed.observation).toMatchObject({ state: 'terminal', reason: 'deleted', transition: true });
    expect(archived.observation).toMatchObject({ state: 'terminal', reason: 'archived', transition: true });
    expect(restored).toMatchObject({ kind: 'prompt', observation: { state: 'open', transition: true } });
  });

  it('ACC-3 is all that an issue says that was created in a closed state', () => {
    const created = linearFixture('issue.create.todo');
    expect(parse({ ...created, data: { ...created.data, state: state('completed') } })).toMatchObject({ kind: 'lifecycle' });
  });

  it('TRM-8 is told by an SLA event, which carries the issue', () => {
    const breached = linearFixture('issue-sla.breached');
    const closed = { ...breached, issueData: { ...(breached.issueData as Json), state: state('canceled') } };
    expect(parse(closed)).toMatchObject({ kind: 'lifecycle', observation: { state: 'terminal', reason: 'canceled', transition: false } });
  });

  it('TRM-5 is not told by comments, which carry no state', () => {
    expect(parse(linearFixture('comment.create'))).not.toHaveProperty('observation');
  });
});

describe('what wakes an agent in Linear', () => {
  it('LIN-2 is no proposal, known by the immutable id of its state', () => {
    const created = linearFixture('issue.create.triage');
    const proposalStateId = '5fc1d0a0-0000-4000-8000-000000000001';
    expect(parse(created, { proposalStateId })).toMatchObject({ kind: 'ignored', reason: 'proposal' });
    expect(parse(created, { proposalStateId: '5fc1d0a0-0000-4000-8000-000000000002' }).kind).toBe('prompt');
    expect(parse({ ...created, action: 'update', updatedFrom: { stateId: 'x' } }, { proposalStateId }).kind).toBe('prompt');
  });

  it('LIN-2 is no move to another project, which still carries the state', () => {
    const fields = ['projectId', 'addedToProjectAt', 'updatedAt'];
    const moved = parse(issueUpdate({}, Object.fromEntries(fields.map((name) => [name, null]))));
    expect(moved).toMatchObject({ kind: 'ignored', reason: 'project_move', observation: { state: 'open', transition: false } });
    expect(parse(issueUpdate({}, { projectId: null, priority: 0 })).kind).toBe('prompt');
  });

  const board = { projects: { '11111111-0000-4000-8000-000000000001': 'eng' } };

  it('LIN-1 K2 is nothing of an issue on no board, which still tells its state, its end too', () => {
    const created = linearFixture('issue.create.todo');
    const off = { ...created, data: { ...created.data, projectId: '22222222-0000-4000-8000-000000000002' } };
    for (const event of [created, off]) expect(parse(event, board)).toMatchObject({ kind: 'ignored', reason: 'off_board' });
    const ended = parse(linearFixture('issue.update.state-completed'), board);
    expect(ended).toMatchObject({ kind: 'ignored', reason: 'off_board', observation: { state: 'terminal', transition: true } });
    expect(parse(linearFixture('issue-sla.breached'), board)).toMatchObject({ kind: 'ignored', reason: 'off_board' });
    expect(parse(issueUpdate({ projectId: Object.keys(board.projects)[0] }, { title: 'x' }), board).kind).toBe('prompt');
    // It says nothing of its project: somebody has to ask.
    expect(parse(linearFixture('comment.create'), board).kind).toBe('prompt');
  });

  it('LIN-1 J3 is nothing of another organisation', () => {
    expect(parse(linearFixture('comment.create'), { organizationId: ORGANIZATION }).kind).toBe('prompt');
    const other = { organizationId: '5fc1d0a0-0000-4000-8000-000000000001' };
    expect(parse(linearFixture('comment.create'), other)).toMatchObject({ kind: 'recorded', reason: 'other_organization', subject: null });
  });

  it('LIN-1 B55 is no update without substance', () => {
    for (const changes of [{ updatedAt: 'x' }, { sortOrder: 1, updatedAt: 'x' }, { SubscriberIds: [] }, {}]) {
      expect(parse(issueUpdate({}, changes))).toMatchObject({ kind: 'ignored', reason: 'bookkeeping' });
    }
  });

  it('LIN-1 tells each change in a line', () => {
    const parsed = parse(
      issueUpdate(
        {
          priorityLabel: 'Urgent',
          labels: [{ name: 'bug' }, { name: 'ui' }],
          delegate: { name: 'Ada' },
          assignee: null,
          dueDate: '2026-02-01',
          project: { name: 'Core' },
          projectId: 'p',
        },
        {
          priority: 0,
          labelIds: [],
          delegateId: null,
          assigneeId: 'x',
          dueDate: null,
          projectId: null,
          estimate: 1,
          description: 'x',
          updatedAt: 'x',
        },
      ),
    );
    expect(parsed).toMatchObject({
      text: [
        'Priority is now Urgent.',
        'Labels are now bug, ui.',
        'Delegated to Ada.',
        'Nobody is assigned any more.',
        'Due on 2026-02-01.',
        'Moved to the project Core.',
        'Changed: estimate.',
        'Description is now:\nThe scheduler drops jobs.',
      ].join('\n'),
    });
  });

  it('ACC-7 is a comment on an issue, under the identity of the comment', () => {
    expect(parse(linearFixture('comment.create'))).toMatchObject({
      kind: 'prompt',
      text: 'Indeed, I think this is definitely an improvement over the previous version.',
      messageKey: '2174add1-f7c8-44e3-bbf3-2d60b5ea8bc9',
      author: { id: PERSON, name: 'Mona Octocat', handle: null, isBot: false },
    });
  });

  it('ACC-8 B79 is no edit, no other change of a comment, and no removal: they tell of the comment that was', () => {
    const update = linearFixture('comment.update');
    expect(parse(update)).toMatchObject({
      ...{ kind: 'edit', messageKey: '2174add1-f7c8-44e3-bbf3-2d60b5ea8bc9', text: 'edited text', revision: '2026-01-01T00:00:00.000Z' },
    });
    expect(parse({ ...update, updatedFrom: { resolvedAt: null } })).toMatchObject({ kind: 'ignored', reason: 'no_text_change' });
    expect(parse(linearFixture('comment.remove'))).toMatchObject({
      kind: 'withdrawal',
      messageKey: '2174add1-f7c8-44e3-bbf3-2d60b5ea8bc9',
    });
    expect(parse(linearFixture('reaction.create'))).toMatchObject({ kind: 'ignored', reason: 'reaction' });
  });

  it('ING-4 is no comment on something else than an issue: it is recorded', () => {
    expect(parse(linearFixture('comment.create.on-project-update'))).toMatchObject({
      kind: 'recorded',
      reason: 'not_an_issue',
      subject: null,
    });
  });

  it('LIN-1 is no comment without words', () => {
    const comment = linearFixture('comment.create');
    expect(parse({ ...comment, data: { ...comment.data, body: ' ' } })).toMatchObject({ kind: 'ignored', reason: 'no_text' });
  });
});

describe('who caused a Linear event', () => {
  const comment = linearFixture('comment.create');
  const app = linearFixture('comment.create.by-app');

  it('ACC-6 is a bot when an app or an integration did it, and ourselves only by a configured id', () => {
    expect(parse(app).author).toEqual({ id: '0a0a0a0a-0000-4000-8000-000000000001', name: 'Example Agent', handle: null, isBot: true });
    expect(parse(app, { oauthClientId: '0a0a0a0a-0000-4000-8000-000000000001' }).author).toMatchObject({ isSelf: true, isBot: true });
    expect(parse(comment, { appUserId: PERSON }).author).toMatchObject({ id: PERSON, isSelf: true, isBot: true });
    expect(parse(linearFixture('issue.create.by-integration')).author).toMatchObject({ name: 'github', isBot: true });
  });

  it('ACC-6 is a person also when a synchronised tool brought the comment', () => {
    const synced = { ...comment, actor: { id: 'i', service: 'slack', type: 'integration' } };
    const data = {
      ...comment.data,
      userId: null,
      user: null,
      externalUser: { id: 'ext-1', name: 'Hubot Jr.' },
      botActor: '{"type":"slack"}',
    };
    expect(parse({ ...synced, data }).author).toEqual({ id: 'ext-1', name: 'Hubot Jr.', handle: null, isBot: false });
  });

  it('ACC-6 is a bot when the comment names one, also in broken JSON', () => {
    const byBot = (botActor: unknown) =>
      parse({ ...comment, actor: null, data: { ...comment.data, userId: null, user: null, botActor } }).author;
    expect(byBot('{"id":"bot-1","name":"CI"}')).toEqual({ id: 'bot-1', name: 'CI', handle: null, isBot: true });
    expect(byBot('{"id":')).toBeUndefined();
  });
});

describe('Linear agent sessions', () => {
  const mention = linearFixture('agent-session.created.mention');
  const prompted = linearFixture('agent-session.prompted');

  it('LIN-4 belong to the conversation of their issue', () => {
    expect(parse(mention).subject).toEqual({ namespace: `linear:${ORGANIZATION}:issue`, key: ISSUE });
    expect(parse(prompted).subject).toEqual(parse(mention).subject);
  });

  it('LIN-4 have a conversation of their own without an issue', () => {
    const agentSession = { ...(mention.agentSession as Json), issueId: null, issue: null };
    expect(parse({ ...mention, agentSession })).toMatchObject({
      kind: 'prompt',
      subject: { namespace: `linear:${ORGANIZATION}:session`, key: '7c1d0b52-4a5b-4c8e-9d7d-0d5a3f7e1a11' },
    });
  });

  it('LIN-4 ACC-7 say with one message key what the mentioning comment says', () => {
    const comment = parse(linearFixture('comment.create'));
    const session = parse(mention);
    expect(session).toMatchObject({ kind: 'prompt', messageKey: '2174add1-f7c8-44e3-bbf3-2d60b5ea8bc9' });
    expect(comment).toMatchObject({ messageKey: '2174add1-f7c8-44e3-bbf3-2d60b5ea8bc9' });
  });

  it('LIN-4 pass on what a person writes to the session', () => {
    expect(parse(prompted)).toMatchObject({ kind: 'prompt', text: 'Use the second option', author: { id: PERSON, isBot: false } });
  });

  it('LIN-4 make a command of the stop signal, and do not wake the agent with it', () => {
    expect(parse(linearFixture('agent-session.prompted.stop'))).toMatchObject({
      ...{ kind: 'action', thread: '7c1d0b52-4a5b-4c8e-9d7d-0d5a3f7e1a11', action: { type: 'command', name: 'stop' } },
      author: { name: 'Mona Octocat' },
    });
  });
});

describe('the Linear parser', () => {
  const bodies = fixturesIn('linear/constructed').map((name) => JSON.parse(fixtureText(name)) as Json);

  it('ING-4 keeps bodies without type, action or organisation for the record', () => {
    for (const missing of ['type', 'action', 'organizationId', 'data']) {
      const { [missing]: _, ...rest } = linearFixture('comment.create');
      expect(parse(rest)).toMatchObject({ kind: 'recorded', reason: 'invalid_shape', subject: null });
    }
  });

  it('ING-4 keeps types and actions that it does not know for the record', () => {
    const issue = linearFixture('issue.update.title');
    for (const type of ['Widget', 'constructor', '__proto__', 'toString']) {
      expect(parse({ ...issue, type })).toMatchObject({ kind: 'recorded', reason: 'unknown_event' });
    }
    expect(parse({ ...issue, action: 'explode' })).toMatchObject({ kind: 'recorded', reason: 'unknown_event' });
  });

  it('is total: any JSON has an answer that equals its own JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (payload) => {
        const parsed = parse(payload);
        expect(JSON.parse(JSON.stringify(parsed))).toStrictEqual(parsed);
      }),
    );
  });

  it('is total: a recorded body with anything anywhere has an answer that equals its own JSON', () => {
    const mutation = fc.tuple(fc.constantFrom(...bodies), fc.nat(), fc.jsonValue());
    fc.assert(
      fc.property(mutation, ([body, place, value]) => {
        const parsed = parse(replaceAt(body, place, value));
        expect(JSON.parse(JSON.stringify(parsed))).toStrictEqual(parsed);
      }),
      { numRuns: 1000 },
    );
  });
});

/** A copy of the JSON in which one value, counted in the order of reading, is another. */
function replaceAt(json: unknown, place: number, value: unknown): unknown {
  let at = place % JSON.stringify(json).split(/[:,]/).length;
  return JSON.parse(JSON.stringify(json), (_, old) => (at-- === 0 ? value : old));
}
