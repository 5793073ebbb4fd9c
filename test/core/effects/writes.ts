import { randomUUID } from 'node:crypto';
import type { AdmissionAnswer } from '../../../src/core/admission/event.js';
import type { AdmissibleEvent } from '../../../src/core/admission/plan-admission.js';
import { insertEffect, type NewEffect, startExecuting } from '../../../src/core/effects/effects.js';
import { type EffectOutcome, endEffect, type Finding } from '../../../src/core/effects/end-effect.js';
import { scopeHash } from '../../../src/core/effects/evidence.js';
import { concerned, type Settled } from '../../../src/core/effects/settle-candidates.js';
import type { CallbackEvidence, Prompt } from '../../../src/plugin/index.js';
import { comment, subject } from '../builders.js';
import type { Core } from '../core.js';

export const SCOPE = { org: 'default', provider: 'fake', account: 'acme', kind: 'comment', action: 'create' } as const;

/** A write of ours about a subject, as a tool would begin it. */
export interface Write {
  readonly id: string;
  readonly key: string;
  readonly marker: string | null;
}

export async function prepare(core: Core, key: string, change: Partial<NewEffect> = {}): Promise<Write> {
  const id = randomUUID();
  const write: NewEffect = {
    ...{ id, org: 'default', provider: 'fake', source: 'tracker', tool: 'comment', account: 'acme', kind: 'comment', action: 'create' },
    ...{ subject: subject(key), scope: scopeHash(SCOPE), request: Buffer.from('asked'), marker: null },
    ...{ conversation: '00000000-0000-0000-0000-000000000001', owner: core.owner },
    ...change,
  };
  await core.database.transaction((tx) => insertEffect(tx, write));
  return { id, key, marker: write.marker };
}

export async function execute(core: Core, key: string, change: Partial<NewEffect> = {}): Promise<Write> {
  const write = await prepare(core, key, change);
  await core.database.transaction((tx) => startExecuting(tx, write.id, change.owner ?? core.owner));
  return write;
}

export function ids(id: string, key: string): Record<string, string> {
  return { comment: id, issue: key };
}

/** The event that the comment with this id causes. */
export function callback(key: string, id: string, change: Partial<CallbackEvidence> = {}, about: Partial<Prompt> = {}): AdmissibleEvent {
  const evidence: CallbackEvidence = { account: 'acme', kind: 'comment', action: 'create', ids: ids(id, key), ...change };
  return comment(key, `comment ${id}`, { evidence, ...about });
}

export async function end(core: Core, { id }: { id: string }, finding: Finding, by = 'host'): Promise<EffectOutcome> {
  const outcome = await core.database.transaction((tx) => endEffect(tx, id, finding, by, 'as told'));
  if (outcome === null) throw new Error(`there is no effect ${id}`);
  return outcome;
}

export const confirm = (core: Core, write: Write, comment: string): Promise<EffectOutcome> =>
  end(core, write, { is: 'present', evidence: { ids: ids(comment, write.key) } });

export const refuse = (core: Core, write: Write): Promise<EffectOutcome> => end(core, write, { is: 'absent', reason: 'permanent' });
export const lose = (core: Core, write: Write): Promise<EffectOutcome> => end(core, write, { is: 'unknown' });

export async function stateOf(core: Core, { id }: { id: string }): Promise<string | undefined> {
  const [row] = await core.rows<{ state: string }>('select state from effects where id = ?', id);
  return row?.state;
}

/** What became of the deliveries of a conversation, in their order. */
export async function fates(core: Core, answer: AdmissionAnswer): Promise<string[]> {
  const conversation = answer.deliveries[0]?.conversation ?? '';
  return (await core.deliveries(conversation)).map(({ state, outcome }) => outcome ?? state);
}

export function counts({ suppressed, released }: Settled): { suppressed: number; released: number } {
  return { suppressed: suppressed.length, released: released.length };
}

export { concerned };
