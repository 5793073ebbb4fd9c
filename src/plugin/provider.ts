import type { AttachmentSource } from './attachment.js';
import type { Preparer, TrustedProcessor } from './claimed-delivery.js';
import type { ControlChannel } from './control.js';
import type { EffectReader, OutboundTool, ReadTool } from './effect.js';
import type { LifecycleHandler } from './lifecycle-handler.js';
import type { SubjectParser } from './parsed.js';
import type { AgentRuntime } from './runtime.js';
import type { Backfill, Transport } from './source.js';

/** What a plugin gives the host. A missing part is a capability that the provider does not have. */
export interface Provider<Options extends object = object> {
  readonly transports: readonly Transport<Options>[];
  readonly subjects: SubjectParser<Options>;
  /** Where the files are that came with messages. */
  readonly attachments?: AttachmentSource<Options>;
  /** Threads in which people watch and steer conversations. */
  readonly control?: ControlChannel<Options>;
  /** Every write that the plugin can do at the provider. */
  readonly tools?: readonly OutboundTool<Options>[];
  /** What agents may read at the provider beside what they are told. */
  readonly reads?: readonly ReadTool<Options>[];
  /** How the outcome of a write is found that its answer did not tell. */
  readonly effects?: EffectReader<Options>;
  /** For providers with a history: what was missed during a downtime is asked for afterwards. */
  readonly backfill?: Backfill<Options>;
  /** Its own reads and effects, under the claim of a conversation: never before an event is answered. */
  readonly trusted?: TrustedProcessor<Options>;
  readonly preparer?: Preparer<Options>;
  readonly lifecycle?: LifecycleHandler<Options>;
  /** More kinds of runtime, by the name that stands in `runtimes.<name>.kind`. The factory gets that entry without `kind`. */
  readonly runtimes?: Readonly<Record<string, (options: Readonly<Record<string, unknown>>) => AgentRuntime>>;
}
