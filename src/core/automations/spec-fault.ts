import { type Fault, InvalidInput } from '../../plugin/index.js';

export type SpecFaultCode =
  | 'missing'
  | 'unknown_field'
  | 'invalid_type'
  | 'invalid_value'
  | 'invalid_combination'
  | 'expression_invalid'
  | 'pattern_invalid'
  | 'schedule_invalid'
  | 'schedule_impossible'
  | 'interval_too_short'
  | 'timezone_unknown'
  | 'runtime_unknown'
  | 'workspace_unknown'
  | 'sandbox_needed'
  | 'subject_needed'
  | 'keep_alive_needed'
  | 'tarball_invalid'
  | 'entrypoint_invalid'
  | 'event_source_not_configured';

/** Something in an automation that keeps it from being stored. */
export interface SpecFault extends Fault {
  readonly code: SpecFaultCode;
}

/** With these it is not understood; the others are in one that is understood, and cannot be stored as it is. */
const MALFORMED: readonly SpecFaultCode[] = ['missing', 'unknown_field', 'invalid_type', 'invalid_value'];

/** What an automation asks for cannot be done. */
class InvalidAutomation extends InvalidInput {
  override readonly code = 'invalid_automation';
  override readonly status = 422;
}

/** The refusal of an automation with these faults; there is at least one. */
export function refusalOf(faults: readonly SpecFault[]): InvalidInput {
  const told = faults.map(({ path, message }) => (path === '' ? message : `${path} ${message}`)).join('; ');
  const message = `The automation is not right: ${told}.`;
  const shown = faults.map(({ path, message: said }) => ({ path, message: said }));
  return faults.some(({ code }) => MALFORMED.includes(code)) ? new InvalidInput(message, shown) : new InvalidAutomation(message, shown);
}
