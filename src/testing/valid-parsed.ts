import assert from 'node:assert/strict';
import { subjectFault } from '../core/routing/subject-fault.js';
import type { Parsed, Subject } from '../plugin/index.js';

const LONGEST_REASON = 64;

/** What an answer of each kind must have beside what it is about. */
const NEEDS: { readonly [Kind in Parsed['kind']]: (parsed: Extract<Parsed, { kind: Kind }>) => boolean } = {
  prompt: ({ text, messageKey }) => typeof text === 'string' && (messageKey === undefined || isKey(messageKey)),
  edit: ({ text, messageKey, revision }) =>
    typeof text === 'string' && isKey(messageKey) && (revision === null || typeof revision === 'string'),
  withdrawal: ({ messageKey }) => isKey(messageKey),
  lifecycle: ({ observation }) => observation.state === 'open' || observation.state === 'terminal',
  ignored: ({ reason }) => isReason(reason),
  recorded: ({ reason }) => isReason(reason),
  action: ({ thread, author, action }) => isKey(thread) && typeof author.id === 'string' && typeof action.type === 'string',
};

/** Fails where the host could not keep what a parser has answered. */
export function assertValid(parsed: Parsed, what: string): void {
  assert(typeof parsed === 'object' && parsed !== null, `${what}: the parser answers ${String(parsed)}`);
  assert(Object.hasOwn(NEEDS, parsed.kind), `${what}: there is no kind ${parsed.kind}`);
  const isWhole = NEEDS[parsed.kind] as (parsed: Parsed) => boolean;
  assert(
    isWhole(parsed),
    `${what}: the answer lacks what one of the kind ${parsed.kind} must have: ${JSON.stringify(parsed).slice(0, 500)}`,
  );
  assert.deepStrictEqual(JSON.parse(JSON.stringify(parsed)), parsed, `${what}: the answer is not what its JSON is`);
  if (parsed.subject !== null) assertTexts(parsed.subject, what);
}

/** A subject that no conversation could have is refused by the host with a reason, but must be made of texts. */
function assertTexts(subject: Subject, what: string): void {
  assert(typeof subject.namespace === 'string' && typeof subject.key === 'string', `${what}: the subject is not made of texts`);
}

export function assertStorable(subject: Subject, what: string): void {
  assert.equal(subjectFault(subject), null, `${what}: its subject cannot be that of a conversation`);
}

function isKey(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function isReason(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && value.length <= LONGEST_REASON;
}
