import type { Bracket } from '../core/admission/admissions.js';
import type { AdmissionAnswer, IncomingEvent } from '../core/admission/event.js';
import type { Connection, SubjectParser, WebhookTransport } from '../plugin/index.js';
import type { ArrivedRequest } from './arrived-request.js';

/** A connection as the event endpoint sees it, everything decided. */
export interface EventSource {
  readonly connection: Connection;
  /** Name of the plugin. */
  readonly provider: string;
  readonly transport: WebhookTransport;
  readonly subjects: SubjectParser;
  /** Largest body in bytes. */
  readonly bodyLimit: number;
  /** How old an authentic event may be that is outside its scheme's window; 0: not at all. */
  readonly acceptLateMs: number;
  /** Budget of authentic events; null: none. */
  readonly rate: { readonly perSecond: number; readonly burst: number } | null;
  /** The operator said `insecure: true`: where no secret is configured, unsigned events are believed, from this machine alone. */
  readonly insecure: boolean;
  /** Told of each request that is refused for its signature. */
  readonly refused?: (request: ArrivedRequest, code: string) => void;
}

/** The sources that exist, from memory. */
export abstract class EventSources {
  abstract find(org: string, name: string): EventSource | null;
}

/** The accept transaction. Resolves after the commit; throws `StoreUnavailable` when there was none. */
export abstract class EventAdmission {
  abstract admit(event: IncomingEvent): Promise<AdmissionAnswer>;
  /** All of them in one transaction with what goes with them, or none. */
  abstract admitTogether(events: readonly IncomingEvent[], bracket: Bracket): Promise<readonly AdmissionAnswer[]>;
}

/** How far the database's clock is ahead of this machine's. */
export abstract class DatabaseClock {
  abstract offsetMs(): number;
}
