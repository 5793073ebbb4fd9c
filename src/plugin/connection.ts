/** A configured account at a provider: the source of events, named in `connections:`. */
export interface Connection<Options extends object = object> {
  /** The name that stands in `POST /v1/events/{org}/{name}`. */
  readonly name: string;
  readonly org: string;
  /** `private`: only trusted people can cause its events. `public` (default): the turns that its events make are untrusted. */
  readonly source: 'private' | 'public';
  /** Active secrets, newest first. */
  readonly secrets: readonly string[];
  /** The plugin's own options, validated against its options class. */
  readonly options: Options;
}
