// A named queue a subject, jobs fetched in batches. A job key is known only as long as its job exists: a duplicate that comes later runs
// again, and that is what the library offers.
import { Logger, makeWorkerUtils, run } from 'graphile-worker';

const TASK = 'echo';

export async function start({ url, handle }) {
  const logger = new Logger(() => (level, message) => level === 'error' && process.stderr.write(`${message}\n`));
  const preset = { worker: { localQueue: { size: 200 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 } };
  const runner = await run({
    connectionString: url,
    logger,
    preset,
    concurrency: 24,
    maxPoolSize: 20,
    noHandleSignals: true,
    pollInterval: 500,
    taskList: { [TASK]: ({ text }) => handle([text]) },
  });
  const { addJob, release } = await makeWorkerUtils({ connectionString: url, logger, maxPoolSize: 20 });
  return {
    accept: async ({ deliveryId, subject, text, body }) => {
      await addJob(TASK, { text, body }, { queueName: subject, jobKey: deliveryId, jobKeyMode: 'unsafe_dedupe' });
      return false; // it does not say
    },
    stop: async () => {
      await runner.stop();
      await release();
    },
  };
}
