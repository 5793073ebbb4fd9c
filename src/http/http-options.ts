/** How the server meets the network. */
export interface HttpOptions {
  /** The address that providers were given, with a path where a proxy adds one; null: as the request says. */
  readonly publicUrl: string | null;
  /** Addresses and CIDR ranges of proxies whose `x-forwarded-*` headers are believed. */
  readonly trustedProxies: readonly string[];
  /** Largest body, in bytes, of everything but events. */
  readonly bodyLimit: number;
  /** A request must have arrived whole, headers and body, within this time. */
  readonly requestTimeoutMs: number;
  /** The headers alone, within this time. */
  readonly headersTimeoutMs: number;
  /** How often connections are looked at for that. */
  readonly timeoutCheckMs: number;
  /** A connection on which nothing moves for this long is closed. */
  readonly idleTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  /** How long a client that was answered early may go on sending before its connection is cut. */
  readonly lingerMs: number;
}

export const httpDefaults: HttpOptions = {
  publicUrl: null,
  trustedProxies: [],
  bodyLimit: 1_048_576,
  requestTimeoutMs: 60_000,
  headersTimeoutMs: 20_000,
  timeoutCheckMs: 5_000,
  idleTimeoutMs: 120_000,
  keepAliveTimeoutMs: 72_000,
  lingerMs: 2_000,
};
