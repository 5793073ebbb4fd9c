import type { Database } from '../../database/database.js';
import { Conflict, type Evidence, NotFound } from '../../plugin/index.js';
import { audited } from '../audited.js';
import type { Signals } from '../signals.js';
import type { EffectRow } from './effects.js';
import { type EffectOutcome, endEffect, type Finding } from './end-effect.js';
import { evidenceHash } from './evidence.js';
import { concerned } from './settle-candidates.js';

/** What is found of effects, by whomever; whoever waited for it is woken after the commit. */
export class EffectLedger {
  constructor(
    private readonly database: Database,
    private readonly signals: Signals,
  ) {}

  /** Null: there is no such effect. What has ended stays as it is: see `EffectOutcome.isNews`. */
  async found(id: string, finding: Finding, by: string, why: string): Promise<EffectOutcome | null> {
    return this.settle(() => this.database.transaction((tx) => endEffect(tx, id, finding, by, why)));
  }

  /** An operator has made sure that an unknown write did not happen. To say so again changes nothing. Throws `NotFound` and `Conflict`. */
  async reconcileAbsent(org: string, id: string, by: string): Promise<EffectOutcome> {
    const mayEnd = (effect: EffectRow) => effect.state === 'outcome_unknown';
    const outcome = await this.reconcile(org, id, { is: 'absent', reason: 'verified_absent' }, mayEnd, by, 'verified absent');
    if (outcome.effect.state !== 'reconciled_absent') throw cannot('absent', outcome.effect);
    return outcome;
  }

  /** An operator has seen what an unknown write left. To say the same again changes nothing. Throws `NotFound` and `Conflict`. */
  async reconcilePresent(org: string, id: string, evidence: Evidence, by: string): Promise<EffectOutcome> {
    const mayEnd = (effect: EffectRow) => {
      if (effect.namespace === null && evidence.subject === undefined)
        throw new Conflict('this effect names no subject yet: say in `subject` what was written to');
      return effect.state === 'outcome_unknown';
    };
    const outcome = await this.reconcile(org, id, { is: 'present', evidence }, mayEnd, by, 'verified present');
    const { effect } = outcome;
    if (effect.state === 'confirmed' && effect.evidence?.equals(evidenceHash(effect, evidence.ids))) return outcome;
    throw cannot('present', effect);
  }

  private async reconcile(
    org: string,
    id: string,
    finding: Finding,
    mayEnd: (effect: EffectRow) => boolean,
    by: string,
    why: string,
  ): Promise<EffectOutcome> {
    const outcome = await this.settle(() =>
      audited(this.database, (tx) => endEffect(tx, id, finding, by, why, (effect) => effect.org === org && mayEnd(effect))),
    );
    if (outcome?.effect.org !== org) throw new NotFound(`there is no effect ${id}`);
    return outcome;
  }

  private async settle(work: () => Promise<EffectOutcome | null>): Promise<EffectOutcome | null> {
    const outcome = await work();
    if (outcome === null) return null;
    const conversations = concerned(outcome);
    if (conversations.length > 0) this.signals.emit('ready');
    if (outcome.begun.length > 0) this.signals.emit('runs');
    for (const conversation of conversations) this.signals.emit('activity', conversation);
    return outcome;
  }
}

function cannot(what: string, { state, resolved_by: by }: EffectRow): Conflict {
  return new Conflict(`cannot reconcile this effect as ${what}: it is ${state}${by === null ? '' : `, by ${by}`}`);
}
