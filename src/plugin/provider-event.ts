/** An event of which the plugin itself says where it begins and ends: one that came over its own connection, or one of several in a request. */
export interface ProviderEvent {
  /** The provider's own id of this delivery, equal however often and by whatever way it comes; 1 to 255 characters. */
  readonly deliveryId: string;
  /** Kind and action in one word, for example `message.created`; 1 to 255 characters. */
  readonly eventKey: string;
  /** What the plugin's parser is given: JSON, nested no deeper than 512 levels. */
  readonly payload: unknown;
  /** The bytes as they came. Default: the payload as JSON. */
  readonly body?: Buffer;
  /** As a webhook's `uniqueContent`: what identifies the event beside its id. Default: nothing. */
  readonly uniqueContent?: string | Buffer | null;
  /**
   * True: the provider has told what it once sent, not necessarily in the same bytes. Where the event is there under its id it is the same
   * one, and no conflict.
   */
  readonly isCopy?: boolean;
}
