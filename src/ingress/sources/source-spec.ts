import type { Backfill, Connection, PollTransport, StreamTransport, SubjectParser } from '../../plugin/index.js';

interface About {
  /** Name of its lease, for example `stream:default/chat`. */
  readonly name: string;
  readonly connection: Connection;
  /** Name of the plugin. */
  readonly provider: string;
  readonly subjects: SubjectParser;
}

/** What a replica may be told to keep up for a connection. */
export type SourceSpec =
  | (About & { readonly kind: 'stream'; readonly transport: StreamTransport; readonly hasHistory: boolean })
  | (About & { readonly kind: 'poll'; readonly transport: PollTransport; readonly intervalMs: number })
  /** `stream`: name of the lease of the stream that tells what happens from now on, if there is one. */
  | (About & { readonly kind: 'backfill'; readonly backfill: Backfill; readonly stream?: string | null });

export type Of<Kind extends SourceSpec['kind']> = Extract<SourceSpec, { kind: Kind }>;
