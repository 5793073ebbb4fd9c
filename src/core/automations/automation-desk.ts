import { randomUUID } from 'node:crypto';
import type { Database } from '../../database/database.js';
import type { Tx } from '../../database/tx.js';
import { Conflict, NotFound } from '../../plugin/index.js';
import { pendingAudit } from '../audit/pending-audit.js';
import { audited } from '../audited.js';
import type { Signals } from '../signals.js';
import { type AutomationSpec, type AutomationState, automation as machine } from './automation.js';
import {
  type Automation,
  deleteAutomation,
  draftAutomation,
  enableAutomation,
  findAutomationNamed,
  insertAutomation,
  lockAutomation,
  specOfVersion,
  switchOff,
  updateAutomation,
} from './automations.js';
import { placeAutomation } from './place-automation.js';
import { raisesGeneration } from './raises-generation.js';
import { readSpec } from './read-spec.js';
import { refusalOf, type SpecFault } from './spec-fault.js';
import { agentOf, type Surroundings } from './surroundings.js';
import { amended, writtenSpec } from './written-spec.js';

/** Which automation, and who wants something of it. */
export interface Asked {
  readonly org: string;
  readonly id: string;
  readonly by: string;
  /** Throws where this person may not change it. */
  readonly mayChange: (found: Automation) => void;
}

/** What automations lean on that is not theirs. */
export abstract class AutomationWorld {
  abstract around(tx: Tx, org: string): Promise<Surroundings>;
  /** What is wrong with the files that an automation names; null: nothing. */
  abstract tarballFault(tx: Tx, org: string, spec: AutomationSpec): Promise<string | null>;
  /** After the commit: what waits to be started by an automation that is off is not. */
  abstract stopped(automation: string, by: string): Promise<void>;
}

export interface Amendment {
  readonly patch: Readonly<Record<string, unknown>>;
  /** The version that the change is meant for; null: whatever it is now. */
  readonly version: number | null;
  /** What it is to be afterwards; null: what it is. */
  readonly state: AutomationState | null;
}

const STEPS = { enabled: 'enable', disabled: 'disable', draft: 'draft' } as const;

/** What people do with automations. Each throws `NotFound`, `Conflict` saying what the thing is now, or `InvalidInput` with every fault. */
export class AutomationDesk {
  constructor(
    private readonly database: Database,
    private readonly signals: Signals,
    private readonly world: AutomationWorld,
  ) {}

  async create(org: string, by: string, written: unknown, state: AutomationState): Promise<Automation> {
    const id = randomUUID();
    return this.write(async (tx) => {
      const { spec, agent } = await this.checked(tx, org, written);
      await this.isFree(tx, org, spec.name, null);
      const disabled = state === 'disabled' ? { reason: 'manual', detail: null } : null;
      const isMade = await insertAutomation(tx, { id, org, origin: 'api', state, spec, agent, owner: by, disabled });
      if (!isMade) throw taken(spec.name);
      pendingAudit()?.nameTarget(id);
      return this.reread(tx, id);
    });
  }

  /** Only what is given changes. */
  async amend(asked: Asked, { patch, version, state }: Amendment): Promise<Automation> {
    const isEdited = Object.keys(patch).length > 0;
    const automation = await this.write(async (tx) => {
      const found = isEdited ? await this.own(tx, asked) : await this.changeable(tx, asked);
      if (version !== null && version !== found.version)
        throw new Conflict(`automation ${found.id} has version ${found.version} by now, and the change was meant for version ${version}`);
      const edited = isEdited ? await this.edit(tx, found, patch, asked.by) : found;
      return state === null || state === edited.state ? edited : this.step(tx, edited, state, null);
    });
    if (isEdited) await placeAutomation(this.database, automation);
    if (state === 'disabled') await this.world.stopped(asked.id, asked.by);
    return automation;
  }

  /** What it was in a version before, as a new one. */
  async restore(asked: Asked, version: number): Promise<Automation> {
    const automation = await this.write(async (tx) => {
      const found = await this.own(tx, asked);
      const spec = await specOfVersion(tx, found.id, version);
      if (spec === null) throw new NotFound(`Automation ${found.id} has no version ${version}.`);
      return this.edit(tx, found, { ...writtenSpec(spec) }, asked.by);
    });
    await placeAutomation(this.database, automation);
    return automation;
  }

  /** Lets its triggers start it, or not. `detail`: why it is switched off. */
  async turn(asked: Asked, state: AutomationState, detail: string | null = null): Promise<Automation> {
    const automation = await this.write(async (tx) => this.step(tx, await this.changeable(tx, asked), state, detail));
    if (state === 'disabled') await this.world.stopped(asked.id, asked.by);
    return automation;
  }

  async remove(asked: Asked): Promise<void> {
    await this.write(async (tx) => {
      await this.own(tx, asked);
      await deleteAutomation(tx, asked.id);
    });
    await this.world.stopped(asked.id, asked.by);
  }

  /** Everything that is wrong with an automation as it is written; nothing is stored. */
  async faults(tx: Tx, org: string, written: unknown): Promise<{ spec: AutomationSpec; faults: readonly SpecFault[] }> {
    const around = await this.world.around(tx, org);
    const { spec, faults } = readSpec(written, around);
    return { spec, faults: [...faults, ...unheard(spec, around)] };
  }

  private async edit(tx: Tx, found: Automation, patch: Readonly<Record<string, unknown>>, by: string): Promise<Automation> {
    const after = await this.checked(tx, found.org, amended(found.spec, patch));
    if (JSON.stringify(after.spec) === JSON.stringify(found.spec)) return found;
    await this.isFree(tx, found.org, after.spec.name, found.id);
    const generation = found.generation + Number(raisesGeneration(found, after));
    const isDone = await updateAutomation(tx, found, { ...after, generation, by });
    if (!isDone) throw new Conflict(`automation ${found.id} was changed by somebody else in this moment; read it again`);
    return this.reread(tx, found.id);
  }

  private async step(tx: Tx, { id, org, spec, state: from }: Automation, to: AutomationState, detail: string | null): Promise<Automation> {
    machine.next(from, STEPS[to]);
    if (to === 'disabled') await switchOff(tx, id, { reason: 'manual', detail });
    else if (to === 'draft') await draftAutomation(tx, id);
    else {
      // What could not be stored by now would only fail: its runtime may be gone.
      await this.checked(tx, org, writtenSpec(spec));
      await enableAutomation(tx, id);
    }
    return this.reread(tx, id);
  }

  private async checked(tx: Tx, org: string, written: unknown): Promise<{ spec: AutomationSpec; agent: string | null }> {
    const around = await this.world.around(tx, org);
    const { spec, faults } = readSpec(written, around);
    if (faults.length > 0) throw refusalOf(faults);
    const message = await this.world.tarballFault(tx, org, spec);
    if (message !== null) throw refusalOf([{ path: 'tarball_path', code: 'tarball_invalid', message }]);
    return { spec, agent: agentOf(spec, around) };
  }

  /** One that this person may change, and that is changed here. */
  private async own(tx: Tx, asked: Asked): Promise<Automation> {
    const found = await this.changeable(tx, asked);
    if (found.origin === 'config')
      throw new Conflict(
        `automation ${found.id} is declared in the configuration as \`automations.${found.name}\`; change it there and start the server anew`,
      );
    return found;
  }

  private async changeable(tx: Tx, { org, id, mayChange }: Asked): Promise<Automation> {
    const found = await lockAutomation(tx, id);
    if (found?.org !== org) throw new NotFound(`There is no automation ${id}.`);
    mayChange(found);
    return found;
  }

  private async isFree(tx: Tx, org: string, name: string, own: string | null): Promise<void> {
    const other = await findAutomationNamed(tx, org, name);
    if (other !== null && other.id !== own) throw taken(name, other.id);
  }

  private async reread(tx: Tx, id: string): Promise<Automation> {
    const found = await lockAutomation(tx, id);
    if (found === null) throw new NotFound(`There is no automation ${id}.`);
    return found;
  }

  /** With its line in the audit log; whoever keeps a view of automations is told after the commit. */
  private async write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    try {
      const result = await audited(this.database, work);
      this.signals.emit('automations');
      return result;
    } catch (error) {
      if (this.database.dialect.fault(error) === 'constraint') throw new Conflict('another automation has taken this name in this moment');
      throw error;
    }
  }
}

/** Of use all the same: a connection may be added later, so this refuses nothing. */
function unheard({ triggers }: AutomationSpec, { sources }: Surroundings): SpecFault[] {
  return triggers.flatMap((trigger, index) => {
    if (trigger.type !== 'event' || trigger.source === '' || sources.has(trigger.source)) return [];
    const message = `names no connection and no webhook of the organisation; there are: ${[...sources.keys()].join(', ') || 'none'}`;
    return [{ path: `triggers[${index}].source`, code: 'event_source_not_configured', message } as const];
  });
}

function taken(name: string, id?: string): Conflict {
  return new Conflict(`an automation is named \`${name}\` already${id === undefined ? '' : `: ${id}`}`);
}
