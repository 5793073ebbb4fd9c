import type { Bracket } from '../../core/admission/admissions.js';
import type { AdmissionAnswer } from '../../core/admission/event.js';
import { saveCursor } from '../../core/cursors/cursors.js';
import { holdsLease, type Lease } from '../../core/leases/leases.js';
import { Superseded } from '../../core/leases/superseded.js';
import type { Tx } from '../../database/tx.js';
import type { Page, ProviderEvent } from '../../plugin/index.js';
import type { EventAdmission } from '../event-source.js';
import { InvalidPayload } from '../ingress-errors.js';
import { incomingEvent } from './incoming-event.js';
import type { SourceSpec } from './source-spec.js';

const MOST_EVENTS = 1000;
const LONGEST_CURSOR = 65_536;

/** Stores what a source brings as long as the source is this replica's; afterwards `Superseded`, and nothing is stored. */
export class OwnedAdmission {
  constructor(
    private readonly admission: EventAdmission,
    private readonly spec: SourceSpec,
    /** Null: every replica has a connection of its own. */
    private readonly lease: Lease | null,
  ) {}

  async admit(events: readonly ProviderEvent[]): Promise<readonly AdmissionAnswer[]> {
    return this.admission.admitTogether(
      events.map((event) => incomingEvent(this.spec, event)),
      this.bracket(async () => undefined),
    );
  }

  /** The events of a page and where it ends, in one transaction. One event that is malformed refuses the page. */
  async admitPage({ events, cursor }: Page): Promise<readonly AdmissionAnswer[]> {
    const { connection } = this.spec;
    if (events.length > MOST_EVENTS) throw new InvalidPayload(`A page has ${events.length} events; ${MOST_EVENTS} are the most.`);
    if (typeof cursor !== 'string' || cursor.length > LONGEST_CURSOR || cursor.includes('\0') || !cursor.isWellFormed())
      throw new InvalidPayload(`A page's cursor must be a text of at most ${LONGEST_CURSOR} characters.`);
    const at = { org: connection.org, source: connection.name };
    return this.admission.admitTogether(
      events.map((event) => incomingEvent(this.spec, event)),
      this.bracket((tx) => saveCursor(tx, at, cursor, this.lease?.token ?? 0)),
    );
  }

  /** Until the transaction ends the source stays this replica's. */
  async hold(tx: Tx): Promise<void> {
    if (this.lease !== null && !(await holdsLease(tx, this.lease))) throw new Superseded(this.lease.name);
  }

  private bracket(after: (tx: Tx) => Promise<void>): Bracket {
    return { before: (tx) => this.hold(tx), after };
  }
}
