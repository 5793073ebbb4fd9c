import { at, isObject, lineAt } from './github.shape.js';

const MOST_LINES = 20;

/** The commits of a push, one a line. */
export function commits(payload: unknown): string {
  if (at(payload, 'deleted') === true) return 'The branch or tag was deleted.';
  const pushed = at(payload, 'commits');
  const lines = Array.isArray(pushed) ? pushed.slice(0, MOST_LINES).map(commitLine) : [];
  const more = Array.isArray(pushed) ? pushed.length - lines.length : 0;
  return [
    ...(at(payload, 'forced') === true ? ['The history was rewritten (forced push).'] : []),
    ...lines,
    ...(more > 0 ? [`- and ${more} more`] : []),
  ].join('\n');
}

function commitLine(commit: unknown): string {
  const message = at(commit, 'message');
  const subject = typeof message === 'string' ? lineAt({ subject: message.split('\n', 1)[0] }, 'subject') : null;
  return `- ${shortSha(commit, 'id') ?? 'unknown'} ${subject ?? ''}`.trimEnd();
}

/** The first seven digits, as people write a commit. */
function shortSha(value: unknown, path: string): string | null {
  return lineAt(value, path)?.slice(0, 7) ?? null;
}

/** What the person filled in when starting a workflow. */
export function inputs(payload: unknown): string {
  const filled = at(payload, 'inputs');
  if (!isObject(filled)) return '';
  return Object.keys(filled)
    .slice(0, MOST_LINES)
    .filter((name) => ['string', 'number', 'boolean'].includes(typeof filled[name]))
    .map((name) => `- ${name}: ${filled[name]}`)
    .join('\n');
}
