import { Body, HttpCode, Inject, Post, Query } from '@nestjs/common';
import type { AutomationSpec } from '../../core/automations/automation.js';
import { AutomationDesk } from '../../core/automations/automation-desk.js';
import { type Automation, findAutomationNamed } from '../../core/automations/automations.js';
import { amended } from '../../core/automations/written-spec.js';
import { Database } from '../../database/database.js';
import type { Tx } from '../../database/tx.js';
import { ApiBody, ApiOkResponse, ApiOperation } from '../../http/documented.js';
import { EventSources } from '../../ingress/event-source.js';
import { InvalidInput } from '../../plugin/index.js';
import { Needs } from '../access/bearer.guard.js';
import { By, type Caller } from '../access/caller.js';
import { AdminController } from '../http/admin-controller.js';
import { isUuid } from '../http/ids.js';
import { OrgQuery } from '../http/page.js';
import { sampleEvent } from '../receipts/dry-run.js';
import type { TrialDto } from './dry-run.dto.js';
import { existingAutomation } from './existing-automation.js';
import { trialOfSample } from './trials.js';
import { type Asking, readAsking } from './validate.asking.js';
import { type FaultDto, ValidateBody, ValidatedDto } from './validate.dto.js';

/** The id that an automation has while it is only looked at. */
const NOT_STORED = '00000000-0000-0000-0000-000000000000';

/** Says what the store would refuse, before anything is stored: always with 200, since the answer is what was asked for. */
@AdminController('v1/validate', 'automations')
export class ValidateController {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(AutomationDesk) private readonly desk: AutomationDesk,
    @Inject(EventSources) private readonly sources: EventSources,
  ) {}

  @Post()
  @HttpCode(200)
  @Needs('operator')
  @ApiOperation({
    summary: 'What is wrong with an automation as it is written; nothing is stored',
    description: 'Needs the role operator.',
  })
  @ApiBody({ type: ValidateBody })
  @ApiOkResponse({ type: ValidatedDto })
  async validate(@By() { org }: Caller, @Body() body: unknown, @Query() _query: OrgQuery): Promise<ValidatedDto> {
    const asking = readAsking(body);
    const { spec, errors } = await this.database.transaction((tx) => this.look(tx, org, asking));
    const sample = this.trial(org, spec, asking, errors);
    return { valid: errors.length === 0, errors, sample_matched: sample?.matched ?? null, sample };
  }

  private async look(tx: Tx, org: string, { draft, automation }: Asking): Promise<{ spec: AutomationSpec; errors: FaultDto[] }> {
    const stored = automation === null || !isUuid(automation) ? null : await existingAutomation(tx, org, automation).catch(asNull);
    const unknown = automation !== null && stored === null;
    const written = stored === null ? draft : amended(stored.spec, isFields(draft) ? draft : {});
    const { spec, faults } = await this.desk.faults(tx, org, written);
    const named = await findAutomationNamed(tx, org, spec.name);
    const errors = faults.map(({ path, code, message }) => ({ field: path, code: String(code), message }));
    if (unknown) errors.push({ field: 'automation_id', code: 'not_found', message: 'names no automation of the organisation' });
    if (named !== null && named.id !== stored?.id)
      errors.push({ field: 'name', code: 'name_taken', message: `is that of another automation: ${named.id}` });
    return { spec, errors };
  }

  /** Null: there is no sample, or none that could be tried. */
  private trial(org: string, spec: AutomationSpec, { sample }: Asking, errors: FaultDto[]): TrialDto | null {
    if (sample === null) return null;
    const name = sample.source ?? spec.triggers.find((each) => each.type === 'event')?.source ?? '';
    const found = this.sources.find(org, name);
    if (found === null)
      errors.push({ field: 'sample.source', code: 'event_source_not_configured', message: `names no source of webhooks: ${name}` });
    // What does not compile cannot be tried.
    if (found === null || errors.some(({ field }) => field.startsWith('triggers'))) return null;
    try {
      return trialOfSample({ id: NOT_STORED, org, spec, version: 1, generation: 1 }, sampleEvent(found, sample.payload, sample.event));
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      errors.push({ field: 'sample.event', code: 'unparseable_sample_event', message: error.message });
      return null;
    }
  }
}

function asNull(): Automation | null {
  return null;
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
