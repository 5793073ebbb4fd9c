import { randomUUID } from 'node:crypto';
import { type Attempt, isCurrent, saveSandbox } from '../../core/runs/run-rows.js';
import { insertSandbox, type NewSandbox, type SandboxRow, sandboxReady, saveMade } from '../../core/sandboxes/sandboxes.js';
import type { Database } from '../../database/database.js';
import type { Tx } from '../../database/tx.js';
import type { AgentServerPlace } from '../../runtimes/agent-server/agent-servers.js';
import { type SandboxKind, type SandboxRef, SandboxRefused } from './sandbox-kind.js';
import { placeOf, refOf, sealedPlace } from './sandbox-kinds.js';

export interface SandboxWanted extends Omit<NewSandbox, 'id' | 'run'> {
  readonly attempt: Attempt;
  /** Of a local one, absolute. */
  readonly whole: string;
}

export interface MadeSandbox {
  readonly sandbox: SandboxRef;
  readonly place: AgentServerPlace;
}

/**
 * The sandbox of an attempt at a run, which is stored first, so that it has an owner at every moment. An attempt that is not on any more
 * makes nothing, and what it has made already is removed. Throws what the kind throws.
 */
export async function makeSandbox(
  database: Database,
  kind: SandboxKind,
  encryptionKey: Buffer,
  wanted: SandboxWanted,
  signal: AbortSignal,
): Promise<MadeSandbox> {
  const row = await database.transaction((tx) => placed(tx, wanted));
  const known = row.state === 'ready' ? placeOf(encryptionKey, row) : null;
  if (known !== null) return { sandbox: refOf(row), place: known };
  const { org, conversation } = row;
  const stop = new AbortController();
  const onMade = async (made: Parameters<typeof saveMade>[2]): Promise<void> => {
    if (await database.transaction((tx) => saveMade(tx, row.id, made))) return;
    stop.abort(new SandboxRefused('nobody wants the sandbox any more'));
  };
  const request = { ...refOf(row), org, conversation, run: wanted.attempt.id, folder: wanted.whole };
  const { remoteId, place } = await kind.create(request, onMade, AbortSignal.any([signal, stop.signal]));
  const sealed = sealedPlace(encryptionKey, row.id, place);
  if (!(await database.transaction((tx) => sandboxReady(tx, row.id, sealed))))
    throw new SandboxRefused('nobody wants the sandbox any more');
  return { sandbox: { id: row.id, remoteId }, place };
}

/** Run before sandbox, as everywhere; what throws has stored nothing. */
async function placed(tx: Tx, { attempt, whole: _whole, ...wanted }: SandboxWanted): Promise<SandboxRow> {
  if (!(await isCurrent(tx, attempt))) throw new SandboxRefused('the run has ended, or is begun by somebody else');
  const row = await insertSandbox(tx, { ...wanted, id: randomUUID(), run: attempt.id });
  if (row === null) throw new SandboxRefused('another run has the sandbox of the conversation');
  await saveSandbox(tx, attempt, row.id);
  return row;
}
