// A queue with a partition a subject, one workflow of a partition at a time; the delivery's id is the workflow's.
import { DBOS } from '@dbos-inc/dbos-sdk';

const QUEUE = 'events';
const POOL = 20;

export async function start({ url, handle }) {
  const quiet = () => {};
  DBOS.setConfig({
    name: 'bench',
    systemDatabaseUrl: url,
    systemDatabasePoolSize: POOL,
    logger: { info: quiet, debug: quiet, warn: quiet, error: (entry) => process.stderr.write(`${entry}\n`) },
  });
  const workflow = DBOS.registerWorkflow(({ text }) => handle([text]), { name: 'echo' });
  await DBOS.launch();
  await DBOS.registerQueue(QUEUE, { partitionConcurrency: 1, minPollingIntervalMs: 50 });
  return {
    accept: async ({ deliveryId, subject, text, body }) => {
      const options = { workflowID: deliveryId, queueName: QUEUE, enqueueOptions: { queuePartitionKey: subject } };
      await DBOS.startWorkflow(workflow, options)({ text, body });
      return false; // it does not say
    },
    stop: () => DBOS.shutdown(),
  };
}
