import type { Connection } from './connection.js';

/** A file that came with a message, as its event names it. */
export interface AttachmentReference {
  /** What the plugin finds it by: an id, or an address. No secret, for it is stored with the event; at most 2,000 characters. */
  readonly reference: string;
  /** As its author called it; the host makes a safe name of it. */
  readonly name: string;
  readonly mime?: string;
}

/** Where the content of a file is, and what may be asked for it. */
export interface AttachmentPlace {
  /** Absolute; its origin is one of `origins`. */
  readonly url: string;
  /** Credentials. Only the origin of `url` gets them: wherever it redirects to is asked without them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Where the content may come from, as `https://files.example.com`; the host asks no other, wherever an answer leads. */
  readonly origins: readonly string[];
  /** Bytes, where the provider says; content of another length is not given to an agent. */
  readonly size?: number;
  readonly mime?: string;
}

/** Finds the files that came with messages. The host fetches them, once their message is at the head of its conversation. */
export interface AttachmentSource<Options extends object = object> {
  /**
   * Says where the content is, by asking the provider's API if need be; it never fetches it. Throws a `ProviderFault` where it cannot be
   * had: its message is told to the agent, and the turn goes on without the file.
   */
  locate(attachment: AttachmentReference, connection: Connection<Options>, signal: AbortSignal): Promise<AttachmentPlace>;
}
