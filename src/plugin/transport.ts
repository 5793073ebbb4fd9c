import type { Connection } from './connection.js';
import type { ProviderEvent } from './provider-event.js';
import type { SignatureScheme, SignatureVerifier } from './signature.js';

/** Header names in lower case. A header that came more than once has all its values. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A request whose sender is proved and whose body is read; nothing else reaches a plugin. */
export interface VerifiedRequest {
  readonly headers: Headers;
  /** The exact bytes that were signed. */
  readonly body: Buffer;
  /** The parsed body: JSON, or for a form an object of its fields (each a string). */
  readonly payload: unknown;
  readonly contentType: 'json' | 'form';
}

/** An answer that the plugin gives by itself. `body` is sent as text when a string, else as JSON. */
export interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What the host made of an event, for plugins that must answer in the provider's own form. */
export interface AcceptResult {
  readonly duplicate: boolean;
  readonly receipt: string;
  readonly disposition: string;
}

/**
 * Events that the provider posts to `POST /v1/events/{org}/{connection}`. What reads a request may throw `InvalidInput` where it is
 * malformed: it is refused with 400 then, code `invalid_payload`.
 */
export interface WebhookTransport<Options extends object = object> {
  readonly kind: 'webhook';
  /** Default: JSON only. */
  readonly contentTypes?: readonly ('json' | 'form')[];
  /** Largest body in bytes. Default 1 MiB. Where the provider states a limit, that one. */
  readonly bodyLimit?: number;
  /** Default for the connection's `acceptLate`: how old, in milliseconds, an authentic event may be beyond the scheme's tolerance. Default 0. */
  readonly acceptLateMs?: number;
  /** The signature scheme, or a verifier of the plugin's own. Its secrets are the connection's. */
  signature(connection: Connection<Options>): SignatureScheme | SignatureVerifier;
  /** The answer to a request that asks for the endpoint itself and is no event (Slack's `url_verification`), else null. */
  handshake?(request: VerifiedRequest, connection: Connection<Options>): Reply | null;
  /**
   * The answer to `OPTIONS`, with which a provider may ask for leave before it sends anything; null: there is none. Nobody has proved
   * anything by then, so that the answer may give nothing away.
   */
  preflight?(headers: Headers, connection: Connection<Options>): Reply | null;
  /** The provider's own id of this delivery, equal over its retries; null when the request has none (answered 400). */
  deliveryId(request: VerifiedRequest, connection: Connection<Options>): string | null;
  /** Kind and action in one word, for example `issue_comment.created`; routes' `on` patterns match it. */
  eventKey(request: VerifiedRequest, connection: Connection<Options>): string;
  /** The parsed event payload, where it is not the whole body (a form field). Default: `request.payload`. */
  event?(request: VerifiedRequest, connection: Connection<Options>): unknown;
  /**
   * The events of a request that is not itself one event: it carries several, at most 1,000, or its headers belong to the event, too. They
   * are stored in one transaction or not at all, and neither of the functions above is asked about them. Null: the request is the event.
   */
  events?(request: VerifiedRequest, connection: Connection<Options>): readonly ProviderEvent[] | null;
  /**
   * Where signed bodies are unique per event: the content whose digest identifies it, less what changes between retries.
   * A captured request sent again under a new, unsigned id is then a duplicate too. Null: no such identity.
   */
  uniqueContent?(request: VerifiedRequest, connection: Connection<Options>): string | Buffer | null;
  /** The answer to the provider, where the host's own JSON will not do. Never called before the commit, nor about several events. */
  reply?(result: AcceptResult, request: VerifiedRequest, connection: Connection<Options>): Reply;
}
