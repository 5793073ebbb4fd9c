// Adds one to a counter, again and again, each time in a transaction that reads first. Prints how often.
import { openDatabase } from '../../dist/src/database/open-database.js';

const [url, times] = process.argv.slice(2);
const database = await openDatabase({ url });
for (let done = 0; done < Number(times); done++) {
  await database.transaction(async (tx) => {
    const [row] = await tx.all('select value from counters');
    // Time for the other writer to come in between, as it could if reading took no lock.
    await new Promise(setImmediate);
    await tx.run('update counters set value = ?', [row.value + 1]);
  });
}
await database.close();
process.stdout.write(times);
