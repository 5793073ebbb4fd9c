import type { Database } from '../database/database.js';
import { clock, type Tx } from '../database/tx.js';
import { ProviderFault, type Task, type TaskRequest, type TaskStep, type Tasks } from '../plugin/index.js';
import { lockQueues } from './deliveries/queues.js';
import { storable } from './storable.js';
import { readTask, type TaskRow, takeStep } from './tasks/tasks.js';
import { isOurs } from './turns/turns.js';

const LONGEST = 255;

/** The task of one conversation, for the parts of its plugin. */
export class ConversationTasks implements Tasks {
  constructor(
    private readonly database: Database,
    private readonly conversation: string,
    /** What fences its steps; null: a turn runs, whose claim is its driver's. */
    private readonly claim: { readonly conversation: string; readonly token: number; readonly owner: number } | null,
  ) {}

  read(): Promise<Task | null> {
    return this.database.transaction(async (tx) => shown(await readTask(tx, this.conversation)));
  }

  take(step: TaskStep, by: TaskRequest): Promise<Task | null> {
    return this.database.transaction(async (tx) => {
      await this.hold(tx);
      const [request, initiator] = [storable(by.request, LONGEST) ?? '', storable(by.initiator, LONGEST) ?? ''];
      return shown(await takeStep(tx, { conversation: this.conversation, step, request, initiator, at: await clock(tx) }));
    });
  }

  private async hold(tx: Tx): Promise<void> {
    if (this.claim === null) await lockQueues(tx, [this.conversation]);
    else if (!(await isOurs(tx, this.claim))) throw new ProviderFault('the conversation was taken away meanwhile', 'transient');
  }
}

function shown(row: TaskRow | null): Task | null {
  if (row === null) return null;
  const { state, request, initiator } = row;
  return { state, request, initiator };
}
