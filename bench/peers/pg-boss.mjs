// Strict FIFO per key, fetched in batches; the delivery's id is the job's, so that a second one is not stored.
import { PgBoss } from 'pg-boss';

const QUEUE = 'events';

export async function start({ url, handle }) {
  const boss = new PgBoss({ connectionString: url, max: 20, useListenNotify: true });
  boss.on('error', (error) => process.stderr.write(`${error.stack}\n`));
  await boss.start();
  await boss.createQueue(QUEUE, { policy: 'key_strict_fifo', notify: true });
  const options = {
    batchSize: 50,
    localConcurrency: 4,
    burstWhenBatchFull: true,
    pollingIntervalSeconds: 0.5,
    notifyPollingIntervalSeconds: 0.5,
  };
  await boss.work(QUEUE, options, (jobs) => Promise.all(jobs.map(({ data }) => handle([data.text]))));
  return {
    accept: async ({ deliveryId, subject, text, body }) => {
      const id = await boss.send(QUEUE, { text, body }, { id: deliveryId, singletonKey: subject });
      return id === null;
    },
    stop: () => boss.stop({ graceful: false }),
  };
}
