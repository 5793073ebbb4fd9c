import type { AutomationSpec } from '../../core/automations/automation.js';
import type { Automation } from '../../core/automations/automations.js';
import type { AutomationVersion } from '../../core/automations/list-automations.js';
import { writtenSpec } from '../../core/automations/written-spec.js';
import { instant, instantOrNull } from '../http/instant.js';
import type { AutomationDto, AutomationSpecDto, AutomationVersionDto } from './automation.dto.js';

export function toAutomation(automation: Automation): AutomationDto {
  const { id, org, origin, state, version, generation, owner, failures, disabled } = automation;
  return {
    ...{ id, org, origin, state, enabled: state === 'enabled', version, generation, owner, failures },
    ...toSpec(automation.spec),
    ...{ disabled_reason: disabled?.reason ?? null, disabled_detail: disabled?.detail ?? null },
    disabled_at: instantOrNull(automation.disabledAt),
    ...{ created_at: instant(automation.createdAt), updated_at: instant(automation.updatedAt) },
  };
}

export function toVersion({ version, generation, spec, madeBy, madeAt }: AutomationVersion): AutomationVersionDto {
  return { version, generation, ...toSpec(spec), made_by: madeBy, made_at: instant(madeAt) };
}

function toSpec(spec: AutomationSpec): AutomationSpecDto {
  const { triggers, ...written } = writtenSpec(spec);
  return {
    ...written,
    triggers: triggers.map((trigger) =>
      trigger.type === 'cron'
        ? { ...trigger }
        : { ...trigger, on: [...trigger.on], authors: { ...trigger.authors, allow: [...trigger.authors.allow] } },
    ),
  };
}
