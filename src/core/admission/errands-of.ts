import type { Author } from '../../plugin/index.js';
import { type NewErrand, slotOf } from '../controls/errands.js';
import type { Decision } from './decision.js';
import type { Admission } from './plan-admission.js';

interface Decided {
  readonly admission: Admission;
  readonly receipt: number;
  readonly decision: Decision;
}

/** What is to be done at the channel of the event's own connection because of what was decided; each once for a receipt. */
export function errandsOf(decided: Decided): NewErrand[] {
  return [...actionOf(decided), ...answerOf(decided), ...closedNoticeOf(decided), ...acknowledgementOf(decided)];
}

/** It does not wait behind a turn, nor behind anything else. One message that came as two events is one action. */
function actionOf({ admission: { bound, event, messageKey }, receipt }: Decided): NewErrand[] {
  if (!bound?.action) return [];
  const { parsed, org, source: connection } = event;
  const reply = parsed.kind === 'action' ? (parsed.reply ?? null) : null;
  const body = { action: bound.action, by: parsed.author ?? NOBODY, thread: bound.thread, reply };
  const slot = messageKey === null ? slotOf('action', receipt) : slotOf('action', bound.conversation, messageKey);
  return [{ conversation: bound.conversation, org, connection, lane: null, kind: 'action', slot, body }];
}

const NOBODY: Author = { id: '', name: 'somebody', isBot: false };

const REFUSED: Readonly<Record<string, string>> = {
  unbound_thread: 'This thread belongs to no conversation here.',
  author_not_allowed: 'You may not do that here.',
};

/** Somebody who pressed a button waits for an answer, also where it is no. */
function answerOf({ admission: { event }, receipt, decision }: Decided): NewErrand[] {
  const { parsed, org, source: connection } = event;
  const text = REFUSED[decision.reason ?? ''];
  if (parsed.kind !== 'action' || parsed.reply === undefined || text === undefined) return [];
  const body = { handle: parsed.reply, text };
  return [{ conversation: null, org, connection, lane: null, kind: 'answer', slot: slotOf('refused', receipt), body }];
}

function closedNoticeOf({ admission: { bound, event }, receipt, decision }: Decided): NewErrand[] {
  if (!bound || event.parsed.kind !== 'prompt' || decision.reason !== 'terminal') return [];
  const { conversation, about } = bound;
  const [provider] = about.namespace.split(':');
  const body = { text: `This conversation is closed at ${provider}; /reopen to continue.` };
  const { org, source: connection } = event;
  return [{ conversation, org, connection, lane: conversation, kind: 'post', slot: slotOf('closed', receipt), body }];
}

/** Whoever wrote what wakes an agent sees at once that it was taken. */
function acknowledgementOf({ admission, receipt, decision }: Decided): NewErrand[] {
  const { event, matches, messageKey, bound, isAcknowledged } = admission;
  if (!isAcknowledged || messageKey === null) return [];
  const waking = new Set(matches.filter(({ waking }) => waking).map(({ route }) => route));
  const taken = decision.verdicts.find(
    ({ disposition, sequence, route }) => disposition === 'routed' && sequence !== null && waking.has(route),
  );
  const subject = admission.subject ?? bound?.about;
  if (taken === undefined || !subject) return [];
  const { org, source: connection } = event;
  const body = { thread: bound?.thread ?? null, message: messageKey, subject };
  return [
    { conversation: taken.conversation, org, connection, lane: null, kind: 'acknowledge', slot: slotOf('acknowledge', receipt), body },
  ];
}
