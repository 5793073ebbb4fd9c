import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { checkAnswers, type Finding, finding } from './expectations.js';
import type { Conversation, Delivery, Ledger, Turn } from './ledger.js';
import type { Progress } from './progress.js';
import { endings, steps } from './scenes/all-scenes.js';
import type { Ending } from './script.js';
import { threadsIn } from './threads.js';

/** One conversation at the end. */
export interface Account {
  readonly conversation: Conversation;
  readonly deliveries: readonly Delivery[];
  readonly turns: readonly Turn[];
}

export interface Outcome {
  readonly accounts: readonly Account[];
  readonly findings: readonly Finding[];
}

/** Holds everything that the server has, and what its agents wrote, against the script: nothing is lost, nothing is done twice. */
export async function outcomeOf(progress: Progress, ledger: Ledger, folder: string): Promise<Outcome> {
  const threads = threadsIn(progress);
  const conversations = await ledger.conversations();
  const accounts: Account[] = [];
  const findings = [...checkAnswers(progress), finding('conversations', endings.length, conversations.length)];
  for (const ending of endings) {
    const conversation = conversations.find(({ id }) => id === threads.get(ending.thread));
    if (!conversation) {
      findings.push({ what: `${ending.thread}: its conversation`, fault: 'there is none' });
      continue;
    }
    const { id } = conversation;
    const account = { conversation, deliveries: await ledger.deliveriesOf(id), turns: await ledger.turnsOf(id) };
    accounts.push(account);
    findings.push(...checkAccount(ending, account), checkWork(ending, account, folder));
  }
  const receipts = await ledger.receipts();
  findings.push(finding('receipts: one for each event that is authentic and new', expectedReceipts(), receipts.length));
  return { accounts, findings };
}

function expectedReceipts(): number {
  return steps.filter(({ expect }) => 'disposition' in expect && !expect.duplicate).length;
}

function checkAccount({ thread, state, prompts, lifecycles }: Ending, { conversation, deliveries, turns }: Account): Finding[] {
  const places = Array.from({ length: prompts + lifecycles }, (_, index) => index + 1);
  const ended = (outcome: string) => deliveries.filter((delivery) => delivery.outcome === outcome).length;
  const done = turns.filter((turn) => turn.state === 'done');
  return [
    finding(`${thread}: its state`, state, conversation.state),
    finding(
      `${thread}: places in order, without a gap`,
      places,
      deliveries.map(({ sequence }) => sequence),
    ),
    finding(
      `${thread}: how its deliveries ended`,
      { done: prompts, lifecycle: lifecycles },
      { done: ended('done'), lifecycle: ended('lifecycle') },
    ),
    finding(
      `${thread}: each message in one finished turn, in order`,
      promptPlaces(deliveries),
      done.flatMap((turn) => placesOf(turn, deliveries)),
    ),
    finding(`${thread}: every finished turn has said something`, 0, done.filter(({ result }) => !result).length),
  ];
}

function promptPlaces(deliveries: readonly Delivery[]): number[] {
  return deliveries.filter(({ kind }) => kind === 'prompt').map(({ sequence }) => sequence);
}

function placesOf({ from_sequence: from, to_sequence: to }: Turn, deliveries: readonly Delivery[]): number[] {
  return promptPlaces(deliveries).filter((sequence) => sequence >= from && sequence <= to);
}

/** The agent's own log says what was really done: each message once, and once more at most for each of its turns that was cut off. */
function checkWork({ thread }: Ending, account: Account, folder: string): Finding {
  const log = path.join(folder, 'workspaces', account.conversation.id, 'turns.jsonl');
  const lines = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [];
  const worked = lines.flatMap((line) => (JSON.parse(line) as { deliveries: string[] }).deliveries);
  const wrong = promptPlaces(account.deliveries).filter((sequence) => {
    const times = worked.filter((delivery) => delivery === `${account.conversation.id}.${sequence}`).length;
    return times < 1 || times > 1 + timesCutOff(account, sequence);
  });
  return finding(`${thread}: what the agent did, it did once`, [], wrong);
}

function timesCutOff({ turns }: Account, sequence: number): number {
  return turns.filter(({ state, from_sequence: from, to_sequence: to }) => state === 'interrupted' && from <= sequence && sequence <= to)
    .length;
}

export function isMet({ findings }: Outcome): boolean {
  return findings.every(({ fault }) => fault === null);
}
