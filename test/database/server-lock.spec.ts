import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { lockForServer } from '../../src/database/server-lock.js';
import { ConfigFault } from '../../src/plugin/index.js';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'throughline-lock-'));
  file = path.join(folder, 'ledger.db');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('ING-10 takes a SQLite file for the same one by whatever link it is reached', () => {
  const unlock = lockForServer(file);
  writeFileSync(file, '');
  const links = { file: path.join(folder, 'link.db'), folder: path.join(folder, 'elsewhere') };
  symlinkSync(file, links.file);
  symlinkSync(folder, links.folder);
  for (const other of [file, links.file, path.join(links.folder, 'ledger.db')]) expect(() => lockForServer(other)).toThrow(ConfigFault);
  unlock();
  lockForServer(links.file)();
});
