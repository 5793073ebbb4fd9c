import type { Automation } from '../../core/automations/automations.js';
import { type Caller, mayAct } from '../access/caller.js';
import { Forbidden } from '../errors.js';

/** Throws for an automation that this caller may not change. */
export function ownerOrAdmin({ actor, role }: Caller): (found: Automation) => void {
  return ({ id, owner }) => {
    if (owner !== actor && !mayAct(role, 'admin'))
      throw new Forbidden(`Automation ${id} belongs to ${owner}; they or an admin may change it.`);
  };
}
