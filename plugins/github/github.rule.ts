import { given } from './github.shape.js';

/**
 * What an event is to us.
 *
 * - `message`: somebody's own words; a prompt with an identity of its own.
 * - `opening`: the message that begins its subject.
 * - `reopening`: a prompt, and the subject is open again.
 * - `notice`: somebody did something; a prompt of one sentence.
 * - `report`: a check or workflow finished; a prompt of one sentence, by the app that ran it. Where the value at `state` is `pending` it
 *   has not, and is ignored as `not_finished`.
 * - `ending`: lifecycle alone. Without a reason the issue or pull request says why it was closed.
 * - `edit`: the message that says so reads otherwise now; ignored as `no_text_change` where title and body are as before.
 * - `withdrawal`: the message is gone.
 * - `ignored`, `recorded`: with that reason.
 *
 * Sentences: `{who}` acts, `{what}` is acted on, `{a.b|c}` is the first of these payload values that is there, and what stands
 * in brackets is left out where its value is missing.
 */
export type Rule =
  | { readonly is: 'message' | 'opening' | 'reopening'; readonly says: string }
  | { readonly is: 'report'; readonly says: string; readonly state?: string }
  | { readonly is: 'notice'; readonly says: string; readonly details?: (payload: unknown) => string }
  | { readonly is: 'ending'; readonly reason?: 'deleted' | 'transferred' }
  | { readonly is: 'edit'; readonly says: string }
  | { readonly is: 'withdrawal' }
  | { readonly is: 'ignored'; readonly reason: 'deleted' | 'edited' | 'housekeeping' | 'not_finished' }
  | { readonly is: 'recorded'; readonly reason: 'ping' | 'administration' | 'machine_report' };

export interface EventRules {
  /** Where the subject is read: a numbered thing, the pull requests that a check names, or the repository (no subject). */
  readonly about: 'issue' | 'pull_request' | 'discussion' | 'checks' | 'repository' | 'nothing';
  /** Path of what the event brings: the comment, the review, the check, or the numbered thing itself. */
  readonly source: string;
  /** The line for people after `[owner/name#12]`. */
  readonly title: string;
  /** Path of a text without which the event is not what it says. */
  readonly needs?: string;
  /** By action. `''`: the event has none. `'*'`: any other. */
  readonly actions: Readonly<Record<string, Rule>>;
}

export const message = (says: string): Rule => ({ is: 'message', says });
export const opening = (says: string): Rule => ({ is: 'opening', says });
export const reopening = (says: string): Rule => ({ is: 'reopening', says });
export const notice = (says: string, details?: (payload: unknown) => string): Rule => ({
  is: 'notice',
  says,
  ...given('details', details ?? null),
});
export const report = (says: string, state?: string): Rule => ({ is: 'report', says, ...given('state', state ?? null) });
export const closed: Rule = { is: 'ending' };
export const gone: Rule = { is: 'ending', reason: 'deleted' };
export const moved: Rule = { is: 'ending', reason: 'transferred' };
/** With the sentence of the message that is edited. */
export const edit = (says: string): Rule => ({ is: 'edit', says });
export const edited: Rule = { is: 'ignored', reason: 'edited' };
export const withdrawal: Rule = { is: 'withdrawal' };
export const deleted: Rule = { is: 'ignored', reason: 'deleted' };
export const housekeeping: Rule = { is: 'ignored', reason: 'housekeeping' };
export const notFinished: Rule = { is: 'ignored', reason: 'not_finished' };
export const administration: Rule = { is: 'recorded', reason: 'administration' };
export const machineReport: Rule = { is: 'recorded', reason: 'machine_report' };
export const ping: Rule = { is: 'recorded', reason: 'ping' };
