import { describe, expect, it } from '@jest/globals';
import { GroupCommit } from '../../../src/core/admission/group-commit.js';

class Poison extends Error {}

/** A store that keeps what it was given, unless it holds a number that it refuses. */
class Store {
  readonly groups: number[][] = [];
  readonly kept: number[] = [];
  refused = new Set<number>();
  isDown = false;

  async commit(jobs: readonly number[]): Promise<string[]> {
    this.groups.push([...jobs]);
    await Promise.resolve();
    if (this.isDown) throw new Error('down');
    if (jobs.some((job) => this.refused.has(job))) throw new Poison('one of them');
    this.kept.push(...jobs);
    return jobs.map((job) => `kept ${job}`);
  }

  grouped(limits: { group?: number; waiting?: number } = {}): GroupCommit<number, string> {
    const { group = 100, waiting = 1000 } = limits;
    return new GroupCommit(
      (jobs) => this.commit(jobs),
      (error) => error instanceof Poison,
      { group, waiting, onOverflow: () => new Error('full') },
    );
  }
}

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);

describe('group commit', () => {
  it('ACC-13 jobs that come together share a commit, each gets its own answer, in order', async () => {
    const store = new Store();
    const group = store.grouped({ group: 40 });
    const answers = await Promise.all(upTo(100).map((job) => group.submit(job)));
    expect(answers).toEqual(upTo(100).map((job) => `kept ${job}`));
    expect(store.groups.map(({ length }) => length)).toEqual([40, 40, 20]);
    expect(store.kept).toEqual(upTo(100));
  });

  it('ACC-13 each is answered after its own commit and not before', async () => {
    let commit = () => {};
    const committed = new Promise<void>((resolve) => {
      commit = resolve;
    });
    const answered: number[] = [];
    const run = async (jobs: readonly number[]) => {
      if (jobs.includes(2)) await committed;
      return jobs;
    };
    const group = new GroupCommit<number, number>(run, () => false, { group: 1, waiting: 10, onOverflow: () => new Error('full') });
    const first = group.submit(1).then((job) => answered.push(job));
    const second = group.submit(2).then((job) => answered.push(job));
    await first;
    expect(answered).toEqual([1]);
    commit();
    await second;
    expect(answered).toEqual([1, 2]);
  });

  it('ACC-13 bad ones are found by halving and answered alone; their neighbours are kept, in order', async () => {
    const store = new Store();
    store.refused = new Set([0, 37, 38, 99]);
    const group = store.grouped();
    const results = await Promise.allSettled(upTo(100).map((job) => group.submit(job)));
    expect(results.flatMap(({ status }, job) => (status === 'rejected' ? [job] : []))).toEqual([0, 37, 38, 99]);
    expect(store.kept).toEqual(upTo(100).filter((job) => !store.refused.has(job)));
    expect(store.groups.length).toBeLessThan(60);
  });

  it('ACC-13 a commit that fails by no fault of a job fails them all, once, and leaves nothing', async () => {
    const store = new Store();
    store.isDown = true;
    const group = store.grouped();
    const results = await Promise.allSettled(upTo(10).map((job) => group.submit(job)));
    expect(results.every(({ status }) => status === 'rejected')).toBe(true);
    expect(store.groups).toHaveLength(1);
    store.isDown = false;
    expect(await group.submit(11)).toBe('kept 11');
    expect(store.kept).toEqual([11]);
  });

  it('ING-4 refuses more than may wait, at once, and takes on when there is room', async () => {
    const store = new Store();
    const group = store.grouped({ waiting: 5 });
    const results = await Promise.allSettled(upTo(8).map((job) => group.submit(job)));
    expect(results.map(({ status }) => status)).toEqual([...Array(5).fill('fulfilled'), ...Array(3).fill('rejected')]);
    expect(await group.submit(9)).toBe('kept 9');
  });
});
