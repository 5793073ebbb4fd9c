import { existsSync, rmdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { comment, route } from '../core/builders.js';
import { delivered, eachCore } from '../core/core.js';
import { Bench, until } from './harness.js';

eachCore('the folder of a conversation', (open) => {
  it('IDN-5 is the one that its row names, made when a turn needs it, and no two conversations have the same', async () => {
    const core = open();
    const bench = new Bench(core, [route()]);
    await bench.start();
    try {
      const { conversation } = delivered(await core.admit(comment('T-1', 'one')));
      const first = await bench.runtime.next();
      expect([path.isAbsolute(first.input.workspace), existsSync(first.input.workspace)]).toEqual([true, true]);
      first.finish();
      await until(async () => (await core.queue(conversation)).open === 0);

      await core.change('update conversations set folder = ? where id = ?', 'moved-by-hand', conversation);
      await core.admit(comment('T-1', 'two'));
      const second = await bench.runtime.next();
      expect(second.input.workspace).toBe(path.join(path.dirname(first.input.workspace), 'moved-by-hand'));
      expect(existsSync(second.input.workspace)).toBe(true);
      second.finish();

      const other = delivered(await core.admit(comment('T-2'))).conversation;
      (await bench.runtime.next()).finish();
      await expect(core.change('update conversations set folder = ? where id = ?', 'moved-by-hand', other)).rejects.toThrow(/unique/i);
      await until(async () => (await core.queue(other)).open === 0);
    } finally {
      await bench.stop();
    }
  });

  it('IDN-5 is made again behind a turn that failed without it', async () => {
    const core = open();
    const bench = new Bench(core, [route()]);
    await bench.start();
    try {
      const { conversation } = delivered(await core.admit(comment('T-1', 'one')));
      const first = await bench.runtime.next();
      const { workspace } = first.input;
      rmdirSync(workspace);
      first.fail('the folder is gone');
      await until(async () => (await core.queue(conversation)).owner === null);
      await core.makeDue(conversation);
      const second = await bench.runtime.next();
      expect([second.input.workspace, existsSync(workspace)]).toEqual([workspace, true]);
      second.finish();
      await until(async () => (await core.queue(conversation)).open === 0);
    } finally {
      await bench.stop();
    }
  });
});
