import type { Connection, Provider } from '../plugin/index.js';

/** The connection that an event came by, with the parts of its provider that work under a claim. */
export interface ConnectedProvider {
  readonly connection: Connection;
  readonly provider: Pick<Provider, 'trusted' | 'preparer' | 'lifecycle' | 'attachments'>;
}

/** The providers behind configured connections, from memory. */
export interface Providers {
  /** Null: no such connection is configured. */
  find(org: string, source: string): ConnectedProvider | null;
}

/** Events that no connection brought (messages, replays) have nobody to ask. */
export const OWN_PROVIDER = 'throughline';
