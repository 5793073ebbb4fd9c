import { ProviderFault, type ReadState, type Verdict } from '../plugin/index.js';

const CONTEXT_LIMIT = 64 * 1024;

/** A verdict as a plugin gave it, of which only the known fields are kept. Throws `ProviderFault` when it is none. */
export function checkedVerdict(given: unknown): Verdict {
  const { verdict, reason, observation, context, workspace } = (given ?? {}) as Record<string, unknown>;
  const seen = isMissing(observation) ? null : checkedState(observation);
  const beside = {
    ...(isMissing(context) ? {} : { context: small(context) }),
    ...(isMissing(workspace) ? {} : { workspace: named(workspace) }),
  };
  if (verdict === 'proceed') return { verdict, ...(seen && { observation: seen }), ...beside };
  if (verdict === 'ignore') {
    if (typeof reason !== 'string' || reason === '') throw unsound('`reason` of a verdict `ignore` is a word');
    return { verdict, reason, ...(seen && { observation: seen }), ...beside };
  }
  if (verdict !== 'lifecycle') throw unsound('a verdict is `proceed`, `ignore` or `lifecycle`');
  if (seen === null) throw unsound('a verdict `lifecycle` has an `observation`');
  return { verdict, observation: seen, ...beside };
}

function isMissing(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

function named(workspace: unknown): string {
  if (typeof workspace !== 'string' || workspace === '') throw unsound('`workspace` is the name of one');
  return workspace;
}

function checkedState(given: unknown): ReadState {
  const { state, reason, revision } = given as Record<string, unknown>;
  if (state !== 'open' && state !== 'terminal') throw unsound('`state` of an observation is `open` or `terminal`');
  if (revision !== null && (typeof revision !== 'string' || revision === ''))
    throw unsound('`revision` of an observation is a text or null');
  return typeof reason === 'string' ? { state, revision, reason } : { state, revision };
}

function small(context: unknown): Readonly<Record<string, unknown>> {
  if (typeof context !== 'object' || context === null || Array.isArray(context)) throw unsound('`context` is an object');
  const text = JSON.stringify(context);
  if (Buffer.byteLength(text) > CONTEXT_LIMIT) throw unsound(`\`context\` has more than ${CONTEXT_LIMIT / 1024} KiB`);
  return JSON.parse(text) as Record<string, unknown>;
}

function unsound(what: string): ProviderFault {
  return new ProviderFault(`the plugin gave an unsound verdict: ${what}`, 'permanent');
}
