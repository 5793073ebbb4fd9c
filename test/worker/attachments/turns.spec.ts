import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { closing, comment, route } from '../../core/builders.js';
import { type Core, delivered, eachCore } from '../../core/core.js';
import { git, repositoryIn } from '../../workspaces/git-repository.js';
import { Bench, type BenchOptions, until } from '../harness.js';
import { SteerableRuntime } from '../steerable.runtime.js';
import { FileServer, sourceOf } from './file-server.js';

const FILES = [
  { reference: '/3', name: 'plan.png', mime: 'image/webp' },
  { reference: '/missing', name: 'gone.txt' },
];

eachCore('a turn whose messages have files', (open) => {
  let files: FileServer;
  let root: string;
  let bench: Bench;

  beforeEach(async () => {
    files = await FileServer.start();
    root = mkdtempSync(path.join(os.tmpdir(), 'throughline-attached-'));
  });
  afterEach(async () => {
    await bench.stop();
    await files.close();
    rmSync(root, { recursive: true, force: true });
  });

  const started = async (core: Core, options: BenchOptions = {}) => {
    bench = new Bench(core, [route()], { provider: { attachments: sourceOf(files) }, ...options });
    await bench.start();
    return bench;
  };
  const areOver = (core: Core) =>
    until(async () => (await core.rows("select id from jobs where state in ('waiting', 'running')")).length === 0);

  it('TRN-11 TRM-3 gives its agent what could be had and the reason for the rest, and nothing stays when the conversation ends', async () => {
    const core = open();
    const { runtime } = await started(core);
    const { conversation } = delivered(await core.admit(comment('T-1', 'look', { attachments: FILES })));
    const turn = await runtime.next();
    const [message] = turn.input.turn.messages;
    const file = path.join(turn.input.workspace, '.throughline', 'attachments', `${conversation}.1`, 'plan.png');
    expect(message?.attachments).toEqual([{ name: 'plan.png', mime: 'image/png', size: 3, path: file }]);
    expect(message?.text).toMatch(/^look\n\(The attached file "gone\.txt" was not fetched: http:\/\/127\.0\.0\.1:\d+ answered 404\.\)$/);
    expect(readFileSync(file, 'utf8')).toBe('xxx');
    turn.finish();
    await until(async () => (await core.queue(conversation)).open === 0);
    await core.admit(closing('T-1', 10));
    await areOver(core);
    expect(existsSync(turn.input.workspace)).toBe(false);
  });

  it('TRN-11 FIF-5 a failed fetch is no attempt, and neither is one that was cut off by the end of the conversation', async () => {
    const core = open();
    const { runtime } = await started(core);
    const { conversation } = delivered(await core.admit(comment('T-1', 'look', { attachments: [{ reference: '/slow', name: 'slow' }] })));
    await until(() => files.asked.length === 1);
    await core.admit(closing('T-1', 10));
    await until(async () => (await core.outcomes(conversation)).includes('prompt retired'));
    await areOver(core);
    expect(runtime.begun).toEqual([]);
    const [row] = await core.deliveries(conversation);
    expect(row?.attempts).toBe(0);
  });

  it('FIF-8 TRN-11 fetches the files of a message that joins it', async () => {
    const core = open();
    const runtime = new SteerableRuntime();
    await started(core, { workspaces: [{ runtime }] });
    await core.admit(comment('T-1', 'look'));
    const turn = await runtime.next();
    await core.admit(comment('T-1', 'and at this', { attachments: FILES }));
    await until(() => runtime.given.length === 1);
    expect(runtime.given).toMatchObject([{ text: expect.stringMatching(/^and at this\n/), attachments: [{ name: 'plan.png', size: 3 }] }]);
    turn.finish();
  });

  it('WSP-1 TRM-3 leaves a working tree clean, which goes with its end; a shared folder keeps nothing of it', async () => {
    const core = open();
    const repository = repositoryIn(path.join(root, 'repository'));
    const { runtime } = await started(core, { workspaces: [{ repository }] });
    const { conversation } = delivered(await core.admit(comment('T-1', 'look', { attachments: FILES })));
    const turn = await runtime.next();
    expect(git(turn.input.workspace, 'status', '--porcelain')).toBe('');
    turn.finish();
    await until(async () => (await core.queue(conversation)).open === 0);
    await core.admit(closing('T-1', 10));
    await areOver(core);
    expect(existsSync(turn.input.workspace)).toBe(false);
    await bench.stop();

    const directory = path.join(root, 'shared');
    const shared = await started(core, { workspaces: [{ directory }] });
    const other = delivered(await core.admit(comment('T-2', 'look', { attachments: FILES })));
    const second = await shared.runtime.next();
    expect(existsSync(path.join(directory, '.throughline'))).toBe(true);
    second.finish();
    await until(async () => (await core.queue(other.conversation)).open === 0);
    await core.admit(closing('T-2', 10));
    await areOver(core);
    expect([existsSync(directory), existsSync(path.join(directory, '.throughline'))]).toEqual([true, false]);
  });
});
