import type { Type } from '@nestjs/common';
import type { Connection } from './connection.js';
import type { Provider } from './provider.js';
import type { Transport } from './source.js';
import type { Subject } from './subject.js';

/** Raised by a breaking change of this module. A host refuses plugins of another number. */
export const PLUGIN_API_VERSION = 1;

/** A place of a connection, which a route may be bound to: its conversation is there from the start. */
export interface Endpoint {
  /** As routes name it. */
  readonly name: string;
  /** What the parser says that its events are about. */
  readonly subject: Subject;
  readonly title?: string;
}

export interface PluginDefinition<Options extends object = object> {
  /** The name that connections give in `plugin:`; `[a-z0-9]([a-z0-9._-]{0,62}[a-z0-9])?`. */
  readonly name: string;
  readonly apiVersion: number;
  /** A class-validator class: the options that a connection of this plugin has beside the host's own. */
  readonly options: Type<Options>;
  /** How its events may come. Default: webhooks alone, and then every connection needs a signing secret. */
  readonly receives?: readonly Transport['kind'][];
  /** Does a connection with these options need a signing secret? Default: where events come by webhooks alone. */
  needsSecret?(options: Options): boolean;
  /**
   * The named places of a connection, where its events come from several that routes may be bound to (`endpoint`): the parser says of each
   * event which one it is from. Default: a connection has none.
   */
  endpoints?(connection: Connection<Options>): readonly Endpoint[];
  /** `approved`: a person decides about everything that its tools write, so that no route may say `outbound: allowed`. */
  readonly writes?: 'approved';
  /** A Nest module that provides and exports `provider`. */
  readonly module: Type;
  /** The injectable that implements `Provider`. One instance serves all connections of the plugin. */
  readonly provider: Type<Provider<Options>>;
}

/** The default export of a plugin package. */
export function definePlugin<Options extends object>(definition: PluginDefinition<Options>): PluginDefinition<Options> {
  return Object.freeze({ ...definition });
}
