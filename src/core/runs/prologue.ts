import { first, type Tx } from '../../database/tx.js';
import type { Parsed } from '../../plugin/index.js';
import type { AutomationSpec } from '../automations/automation.js';
import type { RunRow } from './run-rows.js';

/** So much of what was said before is told again; the oldest is left out. */
const MOST_CHARACTERS = 24_000;
const MOST_OF_ONE = 4_000;
const MOST_TURNS = 50;

type OfRun = Pick<RunRow, 'id' | 'conversation' | 'sequence' | 'automation' | 'subject' | 'sandbox' | 'created_at'>;

/**
 * What the host itself says at the beginning of a run, before the message that began it: what was said before its agent's memory was lost,
 * and the prompt of its automation. Empty where none of these deliveries began a run.
 */
export async function prologueOf(
  tx: Tx,
  { conversation, from, to }: { conversation: string; from: number; to: number },
): Promise<string[]> {
  const row = await first<OfRun & { spec: string }>(
    tx,
    `select r.id, r.conversation, r.sequence, r.automation, r.subject, r.sandbox, r.created_at, v.spec
       from runs r join automation_versions v on v.automation = r.automation and v.version = r.version
      where r.conversation = ? and r.sequence between ? and ? order by r.created_at desc limit 1`,
    [conversation, from, to],
  );
  if (row === null) return [];
  const { prompt } = JSON.parse(row.spec) as AutomationSpec;
  return [await seedOf(tx, row), prompt].filter((text) => text !== null);
}

/** A new sandbox knows nothing of the turns before it, and the agents of a new generation nothing of those before them. */
async function seedOf(tx: Tx, run: OfRun): Promise<string | null> {
  const own = await turnsBefore(tx, run.conversation, run.sequence ?? 0);
  if (own.length > 0) return run.sandbox === null ? null : told(tx, run.conversation, own);
  const before = run.subject === null ? null : await conversationBefore(tx, run);
  return before === null ? null : told(tx, before, await turnsBefore(tx, before, Number.MAX_SAFE_INTEGER));
}

interface Said {
  readonly from_sequence: number;
  readonly to_sequence: number;
  readonly result: string | null;
}

/** Newest first; what a reset has cleared is not told again. */
function turnsBefore(tx: Tx, conversation: string, sequence: number): Promise<Said[]> {
  return tx.all(
    `select t.from_sequence, t.to_sequence, t.result from turns t join conversations c on c.id = t.conversation
      where t.conversation = ? and t.state = 'done' and t.from_sequence < ? and t.from_sequence > c.cleared_to order by t.token desc limit ?`,
    [conversation, sequence, MOST_TURNS],
  );
}

async function conversationBefore(tx: Tx, { automation, subject, conversation, created_at: at }: OfRun): Promise<string | null> {
  const found = await first<{ conversation: string }>(
    tx,
    `select conversation from runs where automation = ? and subject = ? and conversation <> ? and created_at <= ?
      order by created_at desc limit 1`,
    [automation, subject, conversation, at],
  );
  return found?.conversation ?? null;
}

async function told(tx: Tx, conversation: string, turns: readonly Said[]): Promise<string | null> {
  const parts: string[] = [];
  let length = 0;
  for (const turn of turns) {
    const messages = await tx.all<{ text: string | null; parsed: string }>(
      `select d.text, r.parsed from deliveries d join receipts r on r.id = d.receipt
        where d.conversation = ? and d.sequence between ? and ? and d.kind = 'prompt' order by d.sequence`,
      [conversation, turn.from_sequence, turn.to_sequence],
    );
    const lines = [...messages.map(message), ...(turn.result === null ? [] : [`You: ${shortened(turn.result)}`])];
    const part = lines.join('\n');
    if (length + part.length > MOST_CHARACTERS) break;
    length += part.length;
    parts.unshift(part);
  }
  if (parts.length === 0) return null;
  return `(This conversation was begun earlier. What was said in it before, the oldest left out:)\n\n${parts.join('\n\n')}\n\n(Now:)`;
}

function message({ text, parsed }: { text: string | null; parsed: string }): string {
  const event = JSON.parse(parsed) as Parsed;
  const own = event.kind === 'prompt' ? event.text : '';
  return `${event.author?.name ?? 'Event'}: ${shortened(text ?? own)}`;
}

function shortened(text: string): string {
  return text.length <= MOST_OF_ONE ? text : `${text.slice(0, MOST_OF_ONE).toWellFormed()} …`;
}
