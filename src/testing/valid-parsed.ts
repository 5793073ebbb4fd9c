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

/** Fails where the host could not keep what a parser has answered. `what` it was given is only asked where it fails. */
export function assertValid(parsed: Parsed, what: () => string): void {
  const fault = faultOf(parsed);
  if (fault !== null) assert.fail(`${what()}: ${fault}`);
}

function faultOf(parsed: Parsed): string | null {
  if (typeof parsed !== 'object' || parsed === null) return `the parser answers ${String(parsed)}`;
  if (!Object.hasOwn(NEEDS, parsed.kind)) return `there is no kind ${parsed.kind}`;
  const isWhole = NEEDS[parsed.kind] as (parsed: Parsed) => boolean;
  if (!isWhole(parsed)) return `the answer lacks what one of the kind ${parsed.kind} must have: ${JSON.stringify(parsed).slice(0, 500)}`;
  if (!isJson(parsed)) return 'the answer is not what its JSON is';
  return parsed.subject === null || isOfTexts(parsed.subject) ? null : 'the subject is not made of texts';
}

/** True: nothing is lost when it is written and read again. */
export function isJson(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0);
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value !== 'object') return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // Plain in whatever realm it was made.
  const isPlain = Array.isArray(value) || prototype === null || Object.getPrototypeOf(prototype) === null;
  return isPlain && !('toJSON' in value && typeof value.toJSON === 'function') && Object.values(value).every(isJson);
}

/** A subject that no conversation could have is refused by the host with a reason, but must be made of texts. */
function isOfTexts({ namespace, key }: Subject): boolean {
  return typeof namespace === 'string' && typeof key === 'string';
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
