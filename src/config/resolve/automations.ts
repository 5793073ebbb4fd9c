import { readSpec } from '../../core/automations/read-spec.js';
import type { SpecFault } from '../../core/automations/spec-fault.js';
import type { AutomationConfig, Config } from '../config.js';
import type { AutomationSection, TriggerSection } from '../schema/automation.js';
import { surroundingsOf } from '../surroundings.js';
import { checkExists, checkOrg, checkWebhook, type Scope } from './scope.js';

/** Read by the same rules as those of the API; a section only makes sure of its keys and their types. */
export function resolveAutomations(scope: Scope, around: Pick<Config, 'runtimes' | 'workspaces' | 'connections'>): AutomationConfig[] {
  return [...scope.file.automations].map(([name, section]) => {
    const path = `automations.${name}`;
    checkOrg(section.org, path, scope);
    const { org, enabled, triggers, ...written } = section;
    const surroundings = surroundingsOf(around, org);
    const { spec, faults } = readSpec({ name, ...withoutGaps({ ...written, triggers: triggers?.map(typed) }) }, surroundings);
    scope.faults.push(...faults.flatMap((fault) => faultIn(path, fault)));
    checkSources(section, [...surroundings.sources.keys()], path, scope);
    return { org, enabled, spec };
  });
}

/** As the API spells it. */
function typed({ webhook, ...trigger }: TriggerSection): TriggerSection {
  const source = webhook === undefined ? {} : { source: webhook };
  return { ...trigger, ...source, type: trigger.type ?? (trigger.schedule === undefined ? 'event' : 'cron') };
}

/** The name is the key, which was checked as such. */
function faultIn(path: string, { path: field, message }: SpecFault): { path: string; message: string }[] {
  return field === 'name' ? [] : [{ path: field === '' ? path : `${path}.${field.replace(/^tarball_path/, 'tarball')}`, message }];
}

function checkSources({ triggers = [] }: AutomationSection, present: readonly string[], path: string, scope: Scope): void {
  triggers.forEach(({ source, connection, webhook }, index) => {
    const key = source === undefined ? 'connection' : 'source';
    if (webhook !== undefined) checkWebhook(webhook, source ?? connection, `${path}.triggers[${index}].webhook`, scope);
    checkExists('connection', source ?? connection ?? '', present, `${path}.triggers[${index}].${key}`, scope);
  });
}

/** A section has all its keys, those that are not written without a value. */
function withoutGaps(section: object): Record<string, unknown> {
  const written = Object.entries(section).filter(([, value]) => value !== undefined);
  return Object.fromEntries(written.map(([key, value]) => [key, withoutGapsWithin(value)]));
}

function withoutGapsWithin(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutGapsWithin);
  return typeof value === 'object' && value !== null ? withoutGaps(value) : value;
}
