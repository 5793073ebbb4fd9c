export interface RequestToSign {
  /** The event as it was recorded. */
  readonly body: Buffer | string;
  readonly secret: string;
  /** The event's name, where the provider sends it in a header. */
  readonly event?: string | undefined;
  /** The id of the delivery. Default: a fresh one, or for Slack the one in the body. */
  readonly deliveryId?: string | undefined;
  /** Milliseconds since 1970. Default: now. */
  readonly now?: number | undefined;
}

export interface SignedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}
