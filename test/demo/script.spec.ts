import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { loadConfig } from '../../src/config/load-config.js';
import { lockForServer } from '../../src/database/server-lock.js';
import { checkAnswers } from '../../src/demo/expectations.js';
import { openHome, writeConfig } from '../../src/demo/home.js';
import { type Answer, requestOf } from '../../src/demo/post-step.js';
import { Progress } from '../../src/demo/progress.js';
import { recordedBody } from '../../src/demo/recorded-body.js';
import { endings, steps } from '../../src/demo/scenes/all-scenes.js';
import type { Step } from '../../src/demo/script.js';
import { threadOf } from '../../src/demo/threads.js';

const fixtures = fileURLToPath(new URL('../fixtures', import.meta.url));
const secrets = { github: 'g', linear: 'l', slack: 's' };
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'throughline-demo-test-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function step(id: string): Step {
  const found = steps.find((each) => each.id === id);
  if (!found) throw new Error(`no step ${id}`);
  return found;
}

const refusal: Answer = { status: 401, eventKey: 'issues.opened', decided: null, delivery: null, code: 'signature_invalid', text: null };

describe('the script of the demo', () => {
  it('has recorded bodies, which it changes only where they have such a field', () => {
    for (const each of steps) expect(recordedBody(each, fixtures).bytes.length).toBeGreaterThan(100);
    expect(() => recordedBody({ ...step('closed'), changes: { 'issue.no_such_field': 1 } }, fixtures)).toThrow('no no_such_field');
  });

  it('sends recordings that it does not change byte for byte', () => {
    expect(recordedBody(step('first-comment'), fixtures).bytes).toEqual(recordedBody(step('captured'), fixtures).bytes);
  });

  it('names each step once, and gives a repeated step the delivery id that it had', () => {
    expect(new Set(steps.map(({ id }) => id)).size).toBe(steps.length);
    const idOf = (id: string) => requestOf(step(id), Buffer.from('{}'), secrets).headers['x-github-delivery'];
    expect(idOf('redelivery')).toBe(idOf('first-comment'));
    expect(idOf('captured')).not.toBe(idOf('first-comment'));
  });

  it('expects as many deliveries of each conversation as it sends', () => {
    for (const { thread, prompts, lifecycles } of endings) {
      const made = steps.filter(
        ({ expect: expected }) => threadOf(expected) === thread && 'disposition' in expected && !expected.duplicate,
      );
      expect([thread, made.length]).toEqual([thread, prompts + lifecycles]);
    }
  });
});

describe('the progress of the demo', () => {
  const file = () => path.join(folder, 'progress.jsonl');

  it('survives a kill: what was answered is not sent again, what was only sent is, as a repeat', () => {
    const before = Progress.read(file());
    before.noteSending(step('issue-opened'));
    before.noteAnswer({ step: 'issue-opened', answer: refusal, isRepeat: false });
    before.noteSending(step('first-comment'));
    appendFileSync(file(), '{"step":"second-comm');

    const after = Progress.read(file());
    expect(after.answerTo(step('issue-opened'))?.answer).toEqual(refusal);
    expect(after.answerTo(step('first-comment'))).toBeNull();
    expect(after.isComplete(steps)).toBe(false);
    expect([after.noteSending(step('first-comment')), after.noteSending(step('second-comment'))]).toEqual([true, false]);
  });

  it('tells of each turn once', () => {
    expect(Progress.read(file()).noteTurn('a.1')).toBe(true);
    expect(Progress.read(file()).noteTurn('a.1')).toBe(false);
  });

  it('makes a finding of every answer that is not as expected, or missing', () => {
    const progress = Progress.read(file());
    progress.noteAnswer({ step: 'forged', answer: refusal, isRepeat: false });
    progress.noteAnswer({ step: 'unsigned', answer: refusal, isRepeat: false });
    const findings = checkAnswers(progress);
    expect(findings).toHaveLength(steps.length);
    const faultOf = (id: string) => findings.find(({ what }) => what.startsWith(`${id}:`))?.fault;
    expect(faultOf('forged')).toBeNull();
    expect(faultOf('unsigned')).toContain('signature_missing');
    expect(faultOf('push')).toBe('it was never answered');
  });
});

describe('the folder of the demo', () => {
  it('is kept while its script is unfinished, and emptied for a new one', () => {
    const first = openHome(folder);
    writeFileSync(path.join(folder, 'kept'), '');
    first.progress.noteSending(step('issue-opened'));
    const second = openHome(folder);
    expect(second.secrets).toEqual(first.secrets);
    expect(existsSync(path.join(folder, 'kept'))).toBe(true);
    for (const each of steps) second.progress.noteAnswer({ step: each.id, answer: refusal, isRepeat: false });
    const third = openHome(folder);
    expect(existsSync(path.join(folder, 'kept'))).toBe(false);
    expect(third.secrets).not.toEqual(first.secrets);
  });

  it('ING-10 is left alone while another demo serves from it', () => {
    openHome(folder);
    writeFileSync(path.join(folder, 'kept'), '');
    const unlock = lockForServer(path.join(folder, 'throughline.db'));
    expect(() => openHome(folder)).toThrow('another demo is at work');
    expect(existsSync(path.join(folder, 'kept'))).toBe(true);
    unlock();
  });

  it('has a configuration that loads anywhere, with secrets by reference', async () => {
    const home = openHome(folder);
    writeConfig(home, 8790);
    const { config } = await loadConfig({ cwd: folder, file: home.configFile, env: {} });
    expect(config.server.port).toBe(8790);
    expect(config.connections.map(({ name, secrets: [secret] }) => [name, secret])).toEqual(Object.entries(home.secrets));
    expect(readFileSync(home.configFile, 'utf8')).not.toContain(home.secrets.github);
  });
});
