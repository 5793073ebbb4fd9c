import { randomUUID } from 'node:crypto';
import type { LinearServer } from '../../fakes/linear/linear-server.js';
import { type Json, linearFixture } from './linear.requests.js';

export const TO_DO = { id: '5fc1d0a0-0000-4000-8000-000000000003', name: 'Todo', type: 'unstarted' };
export const STARTED = { id: '5fc1d0a0-0000-4000-8000-000000000004', name: 'In Progress', type: 'started' };
export const DONE = { id: '5fc1d0a0-0000-4000-8000-000000000005', name: 'Done', type: 'completed' };

/** People at Linear: what they do is so at the local server, and each gives the body that its webhook would have. */
export class LinearWorld {
  private readonly epoch: number;
  private changes = 0;

  constructor(
    private readonly linear: LinearServer,
    epoch = Date.now(),
  ) {
    this.epoch = epoch;
  }

  create(title: string, change: Json = {}): { readonly issue: Json; readonly event: Json } {
    const at = this.now();
    const recorded = linearFixture('issue.create.todo');
    const issue = { ...recorded.data, id: randomUUID(), title, description: '', createdAt: at, updatedAt: at, state: TO_DO, ...change };
    this.linear.issues.push(readable(issue));
    return { issue, event: { ...recorded, createdAt: at, data: webhookForm(issue) } };
  }

  /** The issue with these properties changed, and the event of it. */
  update(issue: Json, change: Json): Json {
    const at = this.now();
    const before = Object.fromEntries(Object.keys(change).map((name) => [name === 'state' ? 'stateId' : name, issue[name] ?? null]));
    Object.assign(issue, change, { updatedAt: at });
    const stored = this.linear.issues.find(({ id }) => id === issue.id);
    if (stored) Object.assign(stored, readable(issue));
    const recorded = linearFixture('issue.update.title');
    return { ...recorded, createdAt: at, data: webhookForm(issue), updatedFrom: { ...before, updatedAt: at } };
  }

  comment(issue: Json, body: string): Json {
    const at = this.now();
    const recorded = linearFixture('comment.create');
    const { id: issueId, identifier, title, url } = issue;
    const id = randomUUID();
    const about = { id, body, createdAt: at, updatedAt: at, issueId, issue: { id: issueId, identifier, title, url } };
    this.linear.comments.push({ ...about, user: recorded.data.user });
    return { ...recorded, createdAt: at, data: { ...recorded.data, ...about } };
  }

  private now(): string {
    return new Date(this.epoch + this.changes++).toISOString();
  }
}

/** As the API tells it. */
function readable(issue: Json): Json {
  const { projectId, teamId, ...rest } = issue;
  return { ...rest, project: projectId ? { id: projectId } : null, team: { id: teamId } };
}

/** As webhooks tell it. */
function webhookForm(issue: Json): Json {
  return { ...issue, stateId: (issue.state as Json).id };
}
