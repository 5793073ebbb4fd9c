import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { create } from 'tar';
import { checkTarball, TarballRefused, unpackTarball } from '../../../src/automations/sandboxes/tarball.js';
import { type Entry, tar, tarGz } from './tarballs.js';

const LIMITS = { packedBytes: 100_000, unpackedBytes: 200_000, entries: 5 };

describe('the tarball of an automation', () => {
  let folder: string;
  let file: string;
  let into: string;

  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'throughline-tarball-'));
    file = path.join(folder, 'tarball');
    into = path.join(folder, 'into');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const refusal = async (bytes: Buffer): Promise<string> => {
    writeFileSync(file, bytes);
    const [checked, unpacked] = await Promise.allSettled([checkTarball(file, LIMITS), unpackTarball(file, into, LIMITS)]);
    if (checked.status === 'fulfilled' || unpacked.status === 'fulfilled') throw new Error('it was taken');
    expect(checked.reason).toBeInstanceOf(TarballRefused);
    expect(unpacked.reason.message).toBe(checked.reason.message);
    expect(existsSync(into)).toBe(false);
    return checked.reason.message;
  };

  it.each([
    ['packed', tarGz],
    ['as it is', tar],
  ])('AUT-11 is unpacked, %s, with nothing of its modes but what can be executed', async (_, pack) => {
    const files = [
      { path: './', type: '5' },
      { path: 'setup.sh', body: 'echo', mode: 0o4777 },
      { path: 'a/b.txt', body: 'text', mode: 0o666 },
    ];
    writeFileSync(file, pack(...files));
    expect(await checkTarball(file, LIMITS)).toMatchObject({ entries: 3 });
    await unpackTarball(file, into, LIMITS);
    expect(readFileSync(path.join(into, 'a/b.txt'), 'utf8')).toBe('text');
    expect(statSync(path.join(into, 'setup.sh')).mode & 0o7777).toBe(0o755);
    expect(statSync(path.join(into, 'a/b.txt')).mode & 0o7777).toBe(0o644);
  });

  it('AUT-11 one of an ordinary program is taken, with long names and letters of all kinds', async () => {
    const long = `${'länge'.repeat(20)}/${'x'.repeat(150)}`;
    mkdirSync(path.join(folder, 'from', path.dirname(long)), { recursive: true });
    writeFileSync(path.join(folder, 'from', long), 'here');
    await create({ file, gzip: true, cwd: path.join(folder, 'from') }, ['.']);
    await unpackTarball(file, into, LIMITS);
    expect(readFileSync(path.join(into, long), 'utf8')).toBe('here');
  });

  it.each<[string, Entry, string]>([
    ['climbs out', { path: 'a/../../evil' }, 'leads out of its folder'],
    ['is absolute', { path: '/etc/passwd' }, 'has an absolute path'],
    ['is absolute on another system', { path: 'C:evil' }, 'has an absolute path'],
    ['has backslashes', { path: '..\\evil' }, 'has a backslash'],
    ['has a line break', { path: 'a\nb' }, 'has a control character'],
    ['is a symbolic link', { path: 'link', type: '2', link: '/etc' }, 'is a link'],
    ['is a hard link', { path: 'link', type: '1', link: 'a' }, 'is a link'],
    ['is a device', { path: 'tty', type: '3' }, 'is a device'],
    ['is a disk', { path: 'disk', type: '4' }, 'is a device'],
    ['is a pipe', { path: 'pipe', type: '6' }, 'is a pipe'],
    ['is sparse', { path: 'sparse', type: 'S' }, 'is a SparseFile'],
  ])('AUT-11 is refused, naming the entry, where one %s', async (_, entry, why) => {
    const message = await refusal(tarGz({ path: 'fine', body: 'fine' }, entry));
    expect(message).toContain(JSON.stringify(entry.path));
    expect(message).toContain(why);
  });

  it.each<[string, Buffer, string]>([
    ['unpacks to more than it may', gzipSync(tar({ path: 'zeros', body: Buffer.alloc(300_000) })), 'larger than 200000 bytes once'],
    ['is too large', tar({ path: 'a', body: Buffer.alloc(150_000) }), 'larger than 100000 bytes.'],
    ['has too many entries', tarGz(...[...'abcdef'].map((name) => ({ path: name }))), 'more than 5 entries'],
    ['has a file twice', tarGz({ path: 'a', body: '1' }, { path: './A', body: '2' }), '"./A" is there twice'],
    ['has a file under a file', tarGz({ path: 'a', body: '1' }, { path: 'a/b', body: '2' }), 'in a folder that is a file'],
    ['is packed twice', gzipSync(tarGz({ path: 'a', body: '1' })), 'packed twice'],
    ['holds nothing', gzipSync(tar()), 'cannot be read'],
    ['is empty', Buffer.alloc(0), 'cannot be read'],
    ['is no tarball', Buffer.from('#!/bin/sh\n'.repeat(200)), 'cannot be read'],
    ['is cut off', tarGz({ path: 'a', body: 'x'.repeat(5_000) }).subarray(0, 40), 'cannot be read'],
    ['is cut off inside', gzipSync(tar({ path: 'a', body: 'x'.repeat(5_000) }).subarray(0, 2_048)), 'cannot be read'],
  ])('AUT-11 is refused where it %s', async (_, bytes, why) => {
    expect(await refusal(bytes)).toContain(why);
  });

  it('AUT-11 a bomb is given up as soon as it is too much, not when all of it is unpacked', async () => {
    writeFileSync(file, gzipSync(tar({ path: 'zeros', body: Buffer.alloc(64 * 1024 ** 2) })));
    const before = process.memoryUsage().arrayBuffers;
    await expect(checkTarball(file, { ...LIMITS, packedBytes: 10 ** 6 })).rejects.toThrow('larger than');
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 ** 2);
  });

  it('stops when nobody waits for it', async () => {
    writeFileSync(file, tarGz({ path: 'a', body: '1' }));
    await expect(checkTarball(file, LIMITS, AbortSignal.abort(new Error('nobody waits')))).rejects.toThrow('nobody waits');
    await expect(checkTarball(path.join(folder, 'none'), LIMITS)).rejects.toThrow('ENOENT');
    expect(readdirSync(folder)).toEqual(['tarball']);
  });
});
