import type { AutomationSpec } from '../../core/automations/automation.js';
import {
  type Automation,
  configuredAutomations,
  enableAutomation,
  findAutomationNamed,
  insertAutomation,
  saveAgent,
  switchOff,
  updateAutomation,
} from '../../core/automations/automations.js';
import { type Edition, raisesGeneration } from '../../core/automations/raises-generation.js';
import { configuredId } from '../../core/conversations/conversation-id.js';
import type { Tx } from '../../database/tx.js';
import { ConfigFault } from '../../plugin/index.js';

/** An automation as the configuration has it. */
export interface Declared {
  readonly org: string;
  readonly enabled: boolean;
  readonly spec: AutomationSpec;
  /** What its agents are, as `agentOf` says it. */
  readonly agent: string | null;
}

export interface Synced {
  readonly made: number;
  readonly changed: number;
  /** Those that the configuration does not have any more. */
  readonly dropped: number;
}

/** Who makes and changes those of the configuration, in versions and as their owner. */
export const CONFIGURATION = 'configuration';

/** Reasons of being off that the configuration gives, and takes back. */
const SWITCHED_OFF = { reason: 'configuration', detail: 'the configuration says `enabled: false`' } as const;
const NOT_CONFIGURED = { reason: 'not_configured', detail: 'the configuration does not have it any more' } as const;
const OWN_REASONS: readonly string[] = [SWITCHED_OFF.reason, NOT_CONFIGURED.reason];

/**
 * Makes the automations of the store those of the configuration. What else people and failures have switched off stays off. Throws
 * `ConfigFault` where a name is taken by one that was made through the API.
 */
export async function syncAutomations(tx: Tx, declared: readonly Declared[]): Promise<Synced> {
  const stored = new Map((await configuredAutomations(tx)).map((each) => [each.id, each]));
  const synced = { made: 0, changed: 0, dropped: 0 };
  for (const each of declared) {
    const found = stored.get(idOf(each));
    if (found === undefined) synced.made += Number(await make(tx, each));
    else synced.changed += Number(await change(tx, found, each));
  }
  const ids = new Set(declared.map(idOf));
  for (const { id, state } of stored.values())
    if (!ids.has(id) && state !== 'disabled') synced.dropped += Number(await switchOff(tx, id, NOT_CONFIGURED));
  return synced;
}

function idOf({ org, spec }: Declared): string {
  return configuredId('automation', org, spec.name);
}

async function make(tx: Tx, declared: Declared): Promise<boolean> {
  const { org, enabled, spec, agent } = declared;
  const state = enabled ? 'enabled' : 'disabled';
  const made = { id: idOf(declared), org, origin: 'config', state, spec, agent, owner: CONFIGURATION } as const;
  if (await insertAutomation(tx, { ...made, disabled: enabled ? null : SWITCHED_OFF })) return true;
  // Another replica of the same configuration may have been a moment faster.
  const other = await findAutomationNamed(tx, org, spec.name);
  if (other?.origin === 'api')
    throw new ConfigFault(
      `automations.${spec.name}: automation ${other.id} of the org ${org} has this name, and was made through the API; rename one of the two`,
    );
  return false;
}

async function change(tx: Tx, found: Automation, { enabled, spec, agent }: Declared): Promise<boolean> {
  const isEdited = await edit(tx, found, { spec, agent });
  const isOffByFile = found.state === 'disabled' && OWN_REASONS.includes(found.disabled?.reason ?? '');
  if (enabled && isOffByFile) return enableAutomation(tx, found.id);
  if (!enabled && found.state !== 'disabled') return switchOff(tx, found.id, SWITCHED_OFF);
  return isEdited;
}

/** A new version where it is another one; false: nothing is to be said about it. */
export async function edit(tx: Tx, found: Automation, after: Edition): Promise<boolean> {
  const isRaised = raisesGeneration(found, after);
  if (isRaised || JSON.stringify(found.spec) !== JSON.stringify(after.spec))
    return updateAutomation(tx, found, {
      ...{ spec: after.spec, agent: after.agent ?? found.agent, by: CONFIGURATION },
      generation: found.generation + Number(isRaised),
    });
  if (after.agent !== null && after.agent !== found.agent) await saveAgent(tx, found.id, after.agent);
  return false;
}
