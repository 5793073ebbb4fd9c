import type { AutomationSpec, CronTrigger, EventTrigger, Trigger } from './automation.js';

/** Durations are seconds. */
export type WrittenTrigger = (Omit<EventTrigger, 'debounce_ms'> & { readonly debounce: number | null }) | CronTrigger;

/** An automation under the names that people write it with: what `readSpec` reads, complete. */
export interface WrittenSpec extends Omit<AutomationSpec, 'triggers' | 'tarball' | 'timeout_ms'> {
  readonly triggers: readonly WrittenTrigger[];
  readonly tarball_path: string | null;
  /** Seconds. */
  readonly timeout: number;
}

export function writtenSpec({ triggers, tarball, timeout_ms, ...same }: AutomationSpec): WrittenSpec {
  return { ...same, triggers: triggers.map(writtenTrigger), tarball_path: tarball, timeout: timeout_ms / 1000 };
}

function writtenTrigger(trigger: Trigger): WrittenTrigger {
  if (trigger.type === 'cron') return trigger;
  const { debounce_ms, ...same } = trigger;
  return { ...same, debounce: debounce_ms === null ? null : debounce_ms / 1000 };
}

type Written = Readonly<Record<string, unknown>>;

/** Names that stand for one another: whoever writes one of a group says what is in place of the others. */
const INSTEAD: readonly (readonly string[])[] = [
  ['prompt', 'tarball_path'],
  ['prompt', 'tarball'],
  ['prompt', 'entrypoint'],
  ['tarball', 'tarball_path'],
  ['runtime', 'workspace'],
];

/**
 * An automation with some of its fields written anew; a field that is null has its default again. What was never asked for is not held
 * against what is: a sandbox that need not be kept is kept once a trigger continues conversations.
 */
export function amended(spec: AutomationSpec, patch: Written): Written {
  const { keep_alive, ...before } = writtenSpec(spec);
  const base: Record<string, unknown> = { ...before, ...(keep_alive && { keep_alive }) };
  const given = Object.entries(patch).filter(([, value]) => value !== undefined);
  for (const [name, value] of given)
    for (const group of INSTEAD)
      if (value !== null && group.includes(name)) for (const other of group) if (other !== name) delete base[other];
  return { ...base, ...Object.fromEntries(given) };
}
