import type { Connection, ControlChannel } from '../../plugin/index.js';

/** A connection whose plugin has threads for people. */
export interface Channel {
  readonly connection: Connection;
  readonly control: ControlChannel;
}

/** The channels of configured connections, from memory. */
export interface Channels {
  /** Null: no such connection is configured, or its plugin has none. */
  channel(org: string, connection: string): Channel | null;
}
