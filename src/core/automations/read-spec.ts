import { type AutomationSpec, CONCURRENCY, ON_EDIT, ON_SANDBOX_GONE, type Trigger } from './automation.js';
import { Fields } from './fields.js';
import { readTrigger } from './read-trigger.js';
import type { SpecFault, SpecFaultCode } from './spec-fault.js';
import { runtimeOf, type Surroundings } from './surroundings.js';
import { entrypointFault, tarballFault } from './tarball-fault.js';

const LONGEST_NAME = 500;
const LONGEST_PROMPT = 50_000;
const LONGEST_PLACE = 2000;
const LONGEST_WORD = 64;
const MOST_TRIGGERS = 20;
const TIMEOUT = { least: 1000, most: 30 * 60_000 };
const DEFAULT_TIMEOUT_MS = 10 * 60_000;

/** Longest run, for whoever tells people. */
export const LONGEST_RUN_MS = TIMEOUT.most;

export interface ReadSpec {
  /** Of use only where there are no faults. */
  readonly spec: AutomationSpec;
  readonly faults: readonly SpecFault[];
}

/**
 * An automation as people write it, in the configuration and through the API alike: everything checked, every default filled in. A field
 * that is null counts as left out.
 */
export function readSpec(raw: unknown, around: Surroundings): ReadSpec {
  const faults: SpecFault[] = [];
  const fields = Fields.of(raw, '', faults) ?? Fields.none(faults);
  const name = fields.requiredText(LONGEST_NAME, 'name');
  const triggers = readTriggers(fields, faults, around);
  const work = readWork(fields);
  const place = readPlace(fields, around);
  const spec: AutomationSpec = {
    ...{ name, triggers, ...work, ...place },
    timeout_ms: fields.duration(TIMEOUT, 'timeout') ?? DEFAULT_TIMEOUT_MS,
    keep_alive: readKeepAlive(fields, triggers),
    concurrency: fields.oneOf(CONCURRENCY, 'concurrency') ?? 'allow',
    on_sandbox_gone: fields.oneOf(ON_SANDBOX_GONE, 'on_sandbox_gone') ?? 'restart',
    on_edit: fields.oneOf(ON_EDIT, 'on_edit'),
  };
  if (spec.tarball !== null && runtimeOf(spec, around)?.isSandboxed === false)
    fields.fault(fields.take('tarball_path', 'tarball').at, 'sandbox_needed', 'needs a runtime of kind `agent-server` with a `sandbox`');
  fields.close();
  return { spec, faults };
}

function readTriggers(fields: Fields, faults: SpecFault[], around: Surroundings): Trigger[] {
  const { value, at } = fields.take('triggers');
  if (!Array.isArray(value)) {
    fields.fault(at, value === null ? 'missing' : 'invalid_type', 'must be a list of triggers; an empty one where only people start it');
    return [];
  }
  if (value.length > MOST_TRIGGERS) fields.fault(at, 'invalid_value', `must hold at most ${MOST_TRIGGERS} triggers`);
  return value.slice(0, MOST_TRIGGERS).flatMap((raw, index) => readTrigger(raw, `${at}[${index}]`, faults, around) ?? []);
}

/** What its runs do: a prompt for the agent, or the program of a tarball. */
function readWork(fields: Fields): Pick<AutomationSpec, 'prompt' | 'tarball' | 'entrypoint'> {
  const given = [fields.take('prompt'), fields.take('tarball_path', 'tarball'), fields.take('entrypoint')] as const;
  const [prompt, tarball, entrypoint] = given.map(({ value }) => value !== null);
  if (prompt && (tarball || entrypoint))
    fields.fault(given[tarball ? 1 : 2].at, 'invalid_combination', 'cannot stand beside `prompt`: write one of the two');
  else if (!prompt && !tarball && !entrypoint) fields.fault('prompt', 'missing', 'is required, or `tarball_path` and `entrypoint` instead');
  else if (!prompt && !tarball) fields.fault(given[1].at, 'missing', 'is required with `entrypoint`');
  else if (!prompt && !entrypoint) fields.fault(given[2].at, 'missing', 'is required with a tarball: the command to start in it');
  return {
    prompt: fields.text(LONGEST_PROMPT, 'prompt'),
    tarball: checked(fields, tarballFault, 'tarball_invalid', 'tarball_path', 'tarball'),
    entrypoint: checked(fields, entrypointFault, 'entrypoint_invalid', 'entrypoint'),
  };
}

function checked(
  fields: Fields,
  faultOf: (text: string) => string | null,
  code: SpecFaultCode,
  ...names: readonly [string, ...string[]]
): string | null {
  const text = fields.text(LONGEST_PLACE, ...names);
  const message = text === null ? null : faultOf(text);
  if (message !== null) fields.fault(fields.take(...names).at, code, message);
  return message === null ? text : null;
}

/** Where its agents work. Where neither is said, and there is only one runtime, that one is meant. */
function readPlace(fields: Fields, { runtimes, workspaces }: Surroundings): Pick<AutomationSpec, 'runtime' | 'workspace'> {
  const runtime = fields.text(LONGEST_WORD, 'runtime');
  const workspace = fields.text(LONGEST_WORD, 'workspace');
  const known = (names: Iterable<string>) => [...names].join(', ') || 'none';
  if (runtime !== null && workspace !== null)
    fields.fault('workspace', 'invalid_combination', 'cannot stand beside `runtime`: a workspace has its own');
  if (runtime !== null && !runtimes.has(runtime))
    fields.fault('runtime', 'runtime_unknown', `names no runtime; there are: ${known(runtimes.keys())}`);
  if (workspace !== null && !workspaces.has(workspace))
    fields.fault('workspace', 'workspace_unknown', `names no workspace of the organisation; there are: ${known(workspaces.keys())}`);
  if (runtime !== null || workspace !== null) return { runtime, workspace };
  const [only = null, ...others] = runtimes.keys();
  if (only !== null && others.length === 0) return { runtime: only, workspace: null };
  const isAsked = fields.take('runtime').value === null && fields.take('workspace').value === null;
  if (isAsked) fields.fault('runtime', 'runtime_unknown', `or \`workspace\` is required; runtimes are: ${known(runtimes.keys())}`);
  return { runtime: null, workspace: null };
}

/** What is to be continued has to be there still. */
function readKeepAlive(fields: Fields, triggers: readonly Trigger[]): boolean {
  const asked = fields.flag('keep_alive');
  const isContinued = triggers.some((trigger) => trigger.type === 'event' && trigger.destination === 'continue_conversation');
  if (isContinued && asked === false)
    fields.fault('keep_alive', 'keep_alive_needed', 'cannot be false with a trigger whose destination is continue_conversation');
  return isContinued || asked === true;
}
