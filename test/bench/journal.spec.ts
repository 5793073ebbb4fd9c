import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Journal } from '../../bench/measure/journal.mjs';

let folder: string;
let files: string[];

beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'throughline-journal-'));
  files = ['a', 'b'].map((name) => path.join(folder, name));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(process: number, text: string): void {
  appendFileSync(files[process] ?? '', text);
}

describe('the journal of a system', () => {
  it('is read while it is written, also where a line is not whole yet, and before there is a file', () => {
    const journal = new Journal(files);
    journal.read();
    write(0, 'B 1 10 1:1 1:2\nE 1 1');
    journal.read();
    expect(journal.events).toEqual([{ kind: 'begin', turn: '0.1', at: 10, marks: ['1:1', '1:2'] }]);
    write(0, '2.5\n');
    journal.read();
    expect(journal.events[1]).toEqual({ kind: 'end', turn: '0.1', at: 12.5, marks: ['1:1', '1:2'] });
  });

  it('counts a delivery that ended twice once, so that nobody stops waiting for the others', () => {
    const journal = new Journal(files);
    write(0, 'B 1 1 1:1\nE 1 2\nB 2 3 1:1\nE 2 4\n');
    journal.read();
    expect([...journal.ended]).toEqual(['1:1']);
    expect(journal.events).toHaveLength(4);
  });

  it('tells the turns of two processes apart, and forgets what was before', () => {
    const journal = new Journal(files);
    write(0, 'B 1 1 1:1\n');
    write(1, 'B 1 2 2:1\nE 1 3\n');
    journal.read();
    expect(journal.events.map(({ turn }: { turn: string }) => turn)).toEqual(['0.1', '1.1', '1.1']);
    journal.forget();
    write(0, 'E 1 9\n');
    journal.read();
    expect(journal.events).toEqual([{ kind: 'end', turn: '0.1', at: 9, marks: ['1:1'] }]);
  });
});
