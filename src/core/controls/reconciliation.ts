import { randomUUID } from 'node:crypto';
import type { Database } from '../../database/database.js';
import { clock, type Tx } from '../../database/tx.js';
import { Conflict, NotFound } from '../../plugin/index.js';
import { audited } from '../audited.js';
import { readConversations, readEnding } from '../conversations/conversations.js';
import type { Signals } from '../signals.js';
import { readBinding } from './bindings.js';
import type { Placement } from './control.js';
import { hurryErrands, insertErrands } from './errands.js';
import { type ControlView, readControl } from './list-controls.js';
import { bind } from './posts.js';

/** Where the configuration wants conversations of a workspace to be shown; null: nowhere. */
export type PlacementOf = (org: string, workspace: string) => Placement | null;

/** Brings the thread of a conversation in line with it because somebody asks for it: now, whatever it waits for. */
export class Reconciliation {
  constructor(
    private readonly database: Database,
    private readonly signals: Signals,
    private readonly placementOf: PlacementOf,
  ) {}

  /** Puts down what there is to do. Throws `NotFound`, and `Conflict` where there is no thread and is to be none. */
  async reconcile(org: string, conversation: string): Promise<ControlView> {
    const view = await audited(this.database, async (tx) => {
      await this.ask(tx, org, conversation);
      await hurryErrands(tx, conversation);
      return readControl(tx, org, conversation);
    });
    this.signals.emit('errands');
    if (view === null) throw new NotFound(`there is no thread of the conversation ${conversation}`);
    return view;
  }

  private async ask(tx: Tx, org: string, conversation: string): Promise<void> {
    const [row] = await readConversations(tx, [conversation]);
    if (row?.org !== org) throw new NotFound(`there is no conversation ${conversation}`);
    const [now, placement, known] = [await clock(tx), this.placementOf(org, row.workspace), await readBinding(tx, conversation)];
    const about = { conversation, org, lane: conversation, slot: randomUUID() };
    if (row.state === 'terminal') {
      if (known === null) throw new Conflict('this conversation has ended and has no thread: there is nothing to archive');
      const ending = (await readEnding(tx, conversation))?.ending ?? null;
      await insertErrands(tx, [{ ...about, connection: known.connection, kind: 'archive', body: { ending } }], now);
      return;
    }
    if (placement === null && known === null)
      throw new Conflict(`this conversation is shown nowhere: the workspace ${row.workspace} has no \`control\``);
    const binding = placement === null ? known : await bind(tx, { conversation, org, workspace: row.workspace, placement }, now);
    await insertErrands(tx, [{ ...about, connection: binding?.connection ?? '', kind: 'ensure', body: {} }], now);
  }
}
