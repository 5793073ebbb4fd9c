import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { busyAutomations, insertRuns, liveRunsOf, type NewRun, runSubject } from '../../../src/core/runs/runs.js';
import type { Database } from '../../../src/database/database.js';
import { eachDatabase, migrated } from '../../databases.js';

const NONE = { sequence: null, noSubject: null, receipt: null, slot: null, error: null, detail: null, inputs: null };

function queued(change: Partial<NewRun> = {}): NewRun {
  const names = { id: randomUUID(), org: 'main', automation: randomUUID(), conversation: randomUUID(), subject: null };
  return { ...names, ...NONE, version: 1, generation: 1, cause: 'event', state: 'queued', ...change };
}

eachDatabase('the runs that hold something', (make) => {
  let database: Database;
  let close: () => Promise<void>;
  beforeAll(async () => {
    ({ database, close } = await migrated(make));
  });
  afterAll(() => close());

  const insert = (...runs: NewRun[]) => database.transaction((tx) => insertRuns(tx, runs, 1_000));

  it('finds each live run once, by its conversation or by its subject', async () => {
    const subject = runSubject('github', 'acme/app#1');
    const [both, other] = [queued({ subject }), queued()];
    const ended = queued({
      automation: both.automation,
      subject,
      conversation: both.conversation,
      state: 'skipped',
      error: 'run_in_progress',
    });
    await insert(both, other, ended);
    const found = await database.transaction((tx) =>
      liveRunsOf(tx, {
        conversations: [both.conversation, other.conversation, randomUUID()],
        subjects: [
          { automation: both.automation, subject },
          { automation: other.automation, subject },
        ],
      }),
    );
    expect(found.map(({ id }) => id).sort()).toEqual([both.id, other.id].sort());
    expect(await database.transaction((tx) => busyAutomations(tx, [both.automation, other.automation, randomUUID()]))).toHaveLength(2);
  });

  it('AUT-2 lets no second run of a conversation or of a subject live, and any number end', async () => {
    const first = queued({ subject: runSubject('linear', '42') });
    const { automation, conversation, subject } = first;
    await insert(first);
    await expect(insert(queued({ conversation }))).rejects.toThrow();
    await expect(insert(queued({ automation, subject }))).rejects.toThrow();
    await insert(queued({ automation, subject, conversation, state: 'skipped' }), queued({ automation, subject, state: 'skipped' }));
    expect(await database.transaction((tx) => liveRunsOf(tx, { conversations: [conversation], subjects: [] }))).toHaveLength(1);
  });
});
