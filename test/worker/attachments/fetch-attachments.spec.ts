import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DeliveryContent } from '../../../src/core/deliveries/deliveries.js';
import { type AttachmentReference, type AttachmentSource, ProviderFault, type TurnMessage } from '../../../src/plugin/index.js';
import { removeAttachments } from '../../../src/worker/attachments/attachment-folder.js';
import { type AttachmentLimits, fetchAttachments } from '../../../src/worker/attachments/fetch-attachments.js';
import { FileServer, sourceOf } from './file-server.js';

const CONVERSATION = '4e0cf7ad-3f0c-5b3e-9f6b-0c1d2e3f4a5b';
const DELIVERY = `${CONVERSATION}.7`;
const never = new AbortController().signal;

let files: FileServer;
let other: FileServer;
let workspace: string;

beforeEach(async () => {
  [files, other] = await Promise.all([FileServer.start(), FileServer.start()]);
  files.elsewhere = other.url;
  workspace = mkdtempSync(path.join(os.tmpdir(), 'throughline-files-'));
});
afterEach(async () => {
  await Promise.all([files.close(), other.close()]);
  rmSync(workspace, { recursive: true, force: true });
});

const KEPT_MS = 86_400_000;
const folder = () => path.join(workspace, '.throughline', 'attachments', DELIVERY);
const named = (reference: string, name = `${reference.slice(1)}.png`): AttachmentReference => ({ reference, name });

interface Change {
  /** Null: the plugin has none. */
  readonly source?: AttachmentSource | null;
  readonly limits?: Partial<AttachmentLimits>;
  readonly signal?: AbortSignal;
}

async function fetched(references: readonly AttachmentReference[], { source = sourceOf(files), limits = {}, signal = never }: Change = {}) {
  const message = { delivery: DELIVERY, text: 'Look at this.', attachments: [] } as unknown as TurnMessage;
  const parsed = JSON.stringify({ kind: 'prompt', subject: null, text: 'Look at this.', attachments: references });
  const content = { org: 'default', source: 'chat', parsed } as DeliveryContent;
  const connection = { name: 'chat', org: 'default', source: 'public', secrets: [], options: {} } as const;
  const providers = { find: () => ({ connection, provider: source === null ? {} : { attachments: source } }) };
  const [made] = await fetchAttachments([message], [content], { providers, workspace, keptForMs: KEPT_MS, limits }, signal);
  if (made === undefined) throw new Error('no message');
  return { ...made, told: made.text.split('\n').slice(1) };
}

describe('the files that came with a message', () => {
  it('TRN-11 are fetched with the credentials of the connection into a folder of their delivery', async () => {
    const { attachments, text } = await fetched([named('/3', 'plan.png'), named('/0', 'empty')]);
    expect(attachments).toEqual([
      { name: 'plan.png', mime: 'image/png', size: 3, path: path.join(folder(), 'plan.png') },
      { name: 'empty', mime: 'image/png', size: 0, path: path.join(folder(), 'empty') },
    ]);
    expect([text, readFileSync(path.join(folder(), 'plan.png'), 'utf8')]).toEqual(['Look at this.', 'xxx']);
    expect(statSync(path.join(folder(), 'plan.png')).mode & 0o077).toBe(0);
    expect(files.asked).toEqual(['/3 Bearer of the connection', '/0 Bearer of the connection']);
  });

  it('TRN-11 are as many bytes as may be, and no file is left of one that has more', async () => {
    const limits = { fileBytes: 1000, totalBytes: 1500 };
    const { attachments, told } = await fetched(
      ['/1000', '/1001', '/400', '/huge', '/stated', '/endless', '/200', '/100', '/1'].map((each) => named(each)),
      {
        limits,
      },
    );
    expect(attachments.map(({ name }) => name)).toEqual(['1000.png', '400.png', '100.png']);
    expect(readdirSync(folder()).sort()).toEqual(['100.png', '1000.png', '400.png']);
    expect(told.map((line) => /"(\w+)\.png" was not fetched/.exec(line)?.[1])).toEqual(['1001', 'huge', 'stated', 'endless', '200', '1']);
    expect(told.at(-1)).toContain('used up what may be fetched for one turn');
  });

  it('TRN-11 are 20 MB each at the most', async () => {
    const { told, attachments } = await fetched([named('/endless', 'a'), named('/huge', 'b'), named('/stated', 'c'), named('/3', 'd')]);
    expect(told).toEqual([
      '(The attached file "a" was not fetched: 20.0 MB may be fetched, and it has more than that.)',
      '(The attached file "b" was not fetched: 20.0 MB may be fetched, and it has 30.0 MB.)',
      '(The attached file "c" was not fetched: 20.0 MB may be fetched, and it has 50.0 MB.)',
    ]);
    expect(attachments.map(({ name }) => name)).toEqual(['d']);
    expect(readdirSync(folder())).toEqual(['d']);
  });

  it.each([
    ['/missing', ' answered 404'],
    ['/short', 'it could not be had'],
    ['/5', '5 bytes came, and it has 6 by its provider’s word'.replace('’', "'")],
    ['/round', 'leads on and on'],
    ['/inside', 'it leads to http://169.254.169.254, which is no place that its plugin knows'],
    ['/file', 'its address is none'],
  ])('TRN-11 %s is told in the text and fails nothing', async (reference, why) => {
    const { attachments, told } = await fetched([named(reference), named('/3')]);
    expect(attachments.map(({ name }) => name)).toEqual(['3.png']);
    expect(told).toEqual([expect.stringContaining(why)]);
    expect(readdirSync(folder())).toEqual(['3.png']);
  });

  it.each(['/slow', '/silent'])('TRN-11 %s is waited for no longer than a file may take', async (reference) => {
    const { attachments, told } = await fetched([named(reference)], { limits: { fileMs: 200 } });
    expect([attachments, told]).toEqual([[], [expect.stringContaining('it did not come within 0.2 s')]]);
    expect(readdirSync(folder())).toEqual([]);
  });

  it('TRN-11 come from nowhere but where their plugin allows, and show credentials to nobody else', async () => {
    const strict = await fetched([named('/elsewhere')]);
    expect(strict.told[0]).toContain(`it leads to ${other.url}, which is no place that its plugin knows`);
    expect(other.asked).toEqual([]);
    const { attachments } = await fetched([named('/elsewhere'), named('/near')], { source: sourceOf(files, [files.url, other.url]) });
    expect(attachments.map(({ size }) => size)).toEqual([4, 3]);
    expect(other.asked).toEqual(['/4 nobody']);
    expect(files.asked.every((each) => each.endsWith('Bearer of the connection'))).toBe(true);
  });

  it('TRN-11 are told about in the words of the plugin alone, on one line, and never in those of an error', async () => {
    const source: AttachmentSource = {
      locate: async ({ reference }) => {
        if (reference === '/denied') throw new ProviderFault('the scope files:read is missing.\nAdd it', 'permanent');
        throw new Error('token xoxb-secret is wrong');
      },
    };
    const { told } = await fetched([named('/denied', 'a\nb'), named('/broken', '')], { source });
    expect(told).toEqual([
      '(The attached file "a b" was not fetched: the scope files:read is missing. Add it.)',
      '(The attached file without a name was not fetched: it could not be had.)',
    ]);
    expect((await fetched([named('/3')], { source: null })).told[0]).toContain('the connection chat fetches no files');
    expect((await fetched([named('/1'), named('/2')], { limits: { files: 1 } })).told).toEqual([
      expect.stringContaining('1 files of a message are fetched at most'),
    ]);
  });

  it('TRN-11 a plugin that never says where they are is not waited for, nor many files for longer than a turn may take', async () => {
    const source: AttachmentSource = { locate: () => new Promise(() => undefined) };
    const each = await fetched([named('/1')], { source, limits: { fileMs: 50 } });
    expect(each.told).toEqual([expect.stringContaining('it did not come within 0.05 s')]);
    const all = await fetched([named('/1'), named('/2')], { source, limits: { totalMs: 50 } });
    expect(all.told).toEqual([expect.stringContaining('the time is up'), expect.stringContaining('the time is up')]);
  });

  it('TRN-5 the end of the turn ends it, and leaves nothing half', async () => {
    const control = new AbortController();
    const reason = new Error('the claim was taken away');
    const work = fetched([named('/3'), named('/slow')], { signal: control.signal });
    while (!files.asked.some((each) => each.startsWith('/slow'))) await new Promise((resolve) => setTimeout(resolve, 5));
    control.abort(reason);
    await expect(work).rejects.toBe(reason);
    expect(readdirSync(folder())).toEqual(['3.png']);
  });

  it('TRN-11 have names that lead nowhere, and none takes the place of another', async () => {
    const names = [
      '../../etc/passwd',
      '/abs/olute',
      '..',
      '.bashrc',
      '-rf',
      'a\u0000b',
      'a\u202Egnp.exe',
      'con trol',
      'A.PNG',
      'a.png',
      'x'.repeat(300),
    ];
    const { attachments } = await fetched(names.map((name) => named('/1', name)));
    const made = attachments.map(({ name }) => name);
    expect(made.slice(0, 10)).toEqual([
      'etc_passwd',
      'abs_olute',
      'file',
      'bashrc',
      'rf',
      'a_b',
      'a_gnp.exe',
      'con_trol',
      'A.PNG',
      'a-2.png',
    ]);
    expect(made.at(-1)).toHaveLength(80);
    expect(attachments.every(({ path: at, name }) => at === path.join(folder(), name))).toBe(true);
    expect(readdirSync(workspace)).toEqual(['.throughline']);
  });

  it('TRN-11 are there once more for a turn that is repeated, whatever its agent has made of them', async () => {
    await fetched([named('/3', 'plan.png')]);
    writeFileSync(path.join(folder(), 'plan.png'), 'painted over');
    writeFileSync(path.join(folder(), 'notes'), 'mine');
    const { attachments } = await fetched([named('/3', 'plan.png')]);
    expect(attachments.map(({ name }) => name)).toEqual(['plan.png']);
    expect([readdirSync(folder()), readFileSync(path.join(folder(), 'plan.png'), 'utf8')]).toEqual([['plan.png'], 'xxx']);
  });

  it.each([['.throughline'], [path.join('.throughline', 'attachments')]])(
    'WSP-1 are written nowhere through a link that an agent put at %s',
    async (link) => {
      const outside = mkdtempSync(path.join(os.tmpdir(), 'throughline-outside-'));
      mkdirSync(path.dirname(path.join(workspace, link)), { recursive: true });
      symlinkSync(outside, path.join(workspace, link));
      const { attachments, told } = await fetched([named('/3')]);
      expect(attachments).toEqual([]);
      expect(told[0]).toMatch(/in the workspace is no folder/);
      await removeAttachments(workspace, CONVERSATION);
      expect(readdirSync(outside)).toEqual([]);
      rmSync(outside, { recursive: true });
    },
  );

  it('WSP-1 replace a link that an agent put in the place of their folder, and follow it neither then nor when they are removed', async () => {
    const outside = mkdtempSync(path.join(os.tmpdir(), 'throughline-outside-'));
    writeFileSync(path.join(outside, 'keep'), '');
    await fetched([named('/3')]);
    rmSync(folder(), { recursive: true });
    symlinkSync(outside, folder());
    expect((await fetched([named('/3')])).attachments).toHaveLength(1);
    symlinkSync(outside, path.join(workspace, '.throughline', 'attachments', `${CONVERSATION}.8`));
    await removeAttachments(workspace, CONVERSATION);
    expect([readdirSync(outside), existsSync(path.join(workspace, '.throughline'))]).toEqual([['keep'], false]);
    rmSync(outside, { recursive: true });
  });

  it('TRN-11 are kept for a while where the conversation goes on, and those of others are its own matter', async () => {
    const kind = path.dirname(folder());
    const beside = ['.2', '.3'].map((sequence) => path.join(kind, `${CONVERSATION}${sequence}`));
    const others = path.join(kind, '00000000-0000-4000-8000-000000000001.1');
    await fetched([named('/3')]);
    const long = new Date(Date.now() - KEPT_MS - 1000);
    for (const each of [...beside, others]) mkdirSync(each);
    for (const each of [beside[0] ?? '', others]) utimesSync(each, long, long);
    await fetched([named('/3')]);
    expect(readdirSync(kind).sort()).toEqual([others, folder(), beside[1] ?? ''].map((each) => path.basename(each)).sort());
  });

  it('TRM-3 go with their conversation and with no other, and what somebody else put there stays', async () => {
    await fetched([named('/3')]);
    const stranger = path.join(workspace, '.throughline', 'attachments', '00000000-0000-4000-8000-000000000001.1');
    mkdirSync(stranger);
    await removeAttachments(workspace, CONVERSATION);
    expect(readdirSync(path.dirname(stranger))).toEqual([path.basename(stranger)]);
    rmSync(stranger, { recursive: true });
    writeFileSync(path.join(workspace, '.throughline', 'mine'), '');
    await removeAttachments(workspace, CONVERSATION);
    expect(readdirSync(path.join(workspace, '.throughline')).sort()).toEqual(['.gitignore', 'mine']);
    await removeAttachments(path.join(workspace, 'nowhere'), CONVERSATION);
  });
});
