import type { LifecycleHandler, Settlement } from 'throughline/plugin';
import type { LinearConnection } from './linear.options.js';

/** The end of an issue ends the work on it: taken where it was reviewed and moved to Done, else cancelled. Nothing is written at Linear. */
export class LinearLifecycle implements LifecycleHandler<LinearConnection> {
  async settle({ connection, context, identity, fence, tasks }: Settlement<LinearConnection>): Promise<void> {
    if (connection.options.work === undefined || tasks === undefined) return;
    if (!(await fence.holds())) return;
    const by = { request: identity.deliveryId, initiator: 'linear' };
    // Whether it was the board's own Done is what its event said then, whatever became of the issue since.
    const isTaken = context.isDone === true && (await tasks.take('complete', by)) !== null;
    if (!isTaken) await tasks.take('cancel', by);
  }
}
