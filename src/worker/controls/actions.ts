import { readBinding } from '../../core/controls/bindings.js';
import type { Decisions, Wanting } from '../../core/controls/decisions.js';
import type { ActionBody } from '../../core/controls/errand.js';
import { type ErrandRow, finishErrand, insertErrands, slotOf } from '../../core/controls/errands.js';
import { putNotice } from '../../core/controls/posts.js';
import { readConversation } from '../../core/conversations/list-conversations.js';
import type { Operations } from '../../core/operations.js';
import type { Signals } from '../../core/signals.js';
import { storable } from '../../core/storable.js';
import type { Database } from '../../database/database.js';
import { clock, type Tx } from '../../database/tx.js';
import { Conflict, type ControlCommand, NotFound } from '../../plugin/index.js';
import type { Channels } from './channels.js';
import type { Carrier } from './errand-runner.js';
import { bodyOf } from './errand-work.js';
import { statusText } from './status-text.js';

const BY_CHARACTERS = 200;

type Change = Exclude<ControlCommand, 'status'>;

/** What people are told when it is done. */
const DONE: Readonly<Record<Change, string>> = {
  reset: 'Reset: the agent begins anew, and what waited is done with.',
  stop: 'Stopped.',
  pause: 'Paused: nothing more is begun until /resume.',
  resume: 'Resumed.',
  reopen: 'Opened again.',
};

/** Somebody else has carried it out meanwhile. */
class Overtaken extends Error {
  override readonly name = 'Overtaken';
}

/** Carries out what people want of the host in their threads, each thing once: what is done is stored with the end of its errand. */
export class Actions implements Carrier {
  constructor(
    private readonly database: Database,
    private readonly operations: Operations,
    private readonly signals: Signals,
    private readonly channels: Channels,
    private readonly decisions: Decisions,
  ) {}

  async carryOut(errand: ErrandRow, owner: number): Promise<void> {
    const body = bodyOf<'action'>(errand);
    const end = (text: string) => (tx: Tx) => this.end(tx, errand, owner, body, text);
    try {
      await this.obey(errand, body, end);
    } catch (error) {
      if (error instanceof Overtaken) return;
      if (!(error instanceof Conflict || error instanceof NotFound)) throw error;
      await this.database.transaction(end(`Not possible: ${error.message}.`));
    }
    this.signals.emit('ready');
    this.signals.emit('errands');
  }

  private async obey(errand: ErrandRow, body: ActionBody, end: (text: string) => (tx: Tx) => Promise<void>): Promise<void> {
    const { org, connection } = errand;
    const conversation = errand.conversation ?? '';
    const { action, by, thread } = body;
    if (action.type === 'decision') {
      const { approval, decision, reason = null } = action;
      const request = { org, conversation, connection, thread, approval, decision, reason, by };
      const decided = await this.database.transaction(async (tx) => {
        const made = await this.decisions.decide(tx, request);
        await end(made.text)(tx);
        return made;
      });
      decided.committed?.();
      return;
    }
    if (action.name === 'status') return this.database.transaction(async (tx) => end(await this.status(tx, org, conversation))(tx));
    if (await this.isRefused({ conversation, connection, by }, end)) return;
    const who = storable(`${by.name} at ${connection}`, BY_CHARACTERS);
    await this.operations.alongside(end(DONE[action.name]))[action.name](org, conversation, who);
  }

  private isRefused(wanting: Wanting, end: (text: string) => (tx: Tx) => Promise<void>): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      const refusal = await this.decisions.refusal(tx, wanting);
      if (refusal !== null) await end(refusal)(tx);
      return refusal !== null;
    });
  }

  private async status(tx: Tx, org: string, conversation: string): Promise<string> {
    const view = await readConversation(tx, org, conversation);
    if (view === null) throw new NotFound(`there is no conversation ${conversation}`);
    return statusText(view);
  }

  /** Ends the errand and tells the person, by the channel's own way where it has one. */
  private async end(tx: Tx, errand: ErrandRow, owner: number, body: ActionBody, text: string): Promise<void> {
    const { conversation, org, connection, id } = errand;
    const binding = conversation === null ? null : await readBinding(tx, conversation);
    if (!(await finishErrand(tx, errand, owner, null))) throw new Overtaken();
    const now = await clock(tx);
    const slot = slotOf('answer', id);
    if (body.reply !== null && this.channels.channel(org, connection)?.control.answer)
      await insertErrands(
        tx,
        [{ conversation, org, connection, lane: null, kind: 'answer', slot, body: { handle: body.reply, text } }],
        now,
      );
    else if (binding !== null) await putNotice(tx, binding, { slot, text }, now);
  }
}
