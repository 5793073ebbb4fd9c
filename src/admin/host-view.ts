/** A connection as operators are told of it: never its secrets, only how many are active. */
export interface ConnectionInfo {
  readonly name: string;
  readonly org: string;
  readonly plugin: string;
  readonly source: 'private' | 'public';
  readonly secrets: number;
  /** True: the provider may post its events to it. */
  readonly takesWebhooks: boolean;
  /** What is kept up for it, by one replica each; `name` is that of its lease. */
  readonly sources: readonly { readonly kind: 'stream' | 'poll' | 'backfill'; readonly name: string }[];
}

export interface PluginInfo {
  readonly name: string;
  readonly apiVersion: number;
  readonly transports: readonly string[];
  readonly runtimes: readonly string[];
}

export interface RouteInfo {
  readonly name: string;
  readonly org: string;
  readonly connection: string;
  readonly workspace: string;
  readonly on: readonly string[];
  readonly filter: string | null;
  readonly scope: 'subject' | 'automation';
  readonly activation: 'on_event' | 'on_demand';
  readonly wake: boolean;
}

export interface Readiness {
  /** What an earlier process left behind has been taken care of. */
  readonly recovered: boolean;
  /** `idle`: this server only accepts, by its configuration. */
  readonly worker: 'running' | 'idle' | 'starting' | 'stopping' | 'superseded';
}

/** What the running server can say of itself. Whoever puts it together implements this. */
export abstract class HostView {
  abstract version(): string;
  abstract orgs(): readonly string[];
  abstract connections(): readonly ConnectionInfo[];
  abstract plugins(): readonly PluginInfo[];
  /** In the order of the file. */
  abstract routes(): readonly RouteInfo[];
  /** Kinds of runtime that workspaces may name. */
  abstract runtimes(): readonly string[];
  abstract readiness(): Readiness;
}
