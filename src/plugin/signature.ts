export type SignatureAlgorithm = 'hmac-sha1' | 'hmac-sha256' | 'hmac-sha512' | 'ed25519' | 'token' | 'basic';

/**
 * How a provider proves that a request is its own. One verifier of the host reads it; a plugin only describes.
 * The bytes of the body are used exactly as they arrived.
 */
export interface SignatureScheme {
  readonly algorithm: SignatureAlgorithm;
  /** What verifies, where it is no secret and stands in the plugin's own options (a public key). Default: the connection's secrets. */
  readonly keys?: readonly string[];
  /** How the configured secret becomes the key. `prefix` is cut off first when it is there. Default: its UTF-8 bytes. */
  readonly secret?: { readonly encoding: 'utf8' | 'hex' | 'base64'; readonly prefix?: string };
  readonly signature: {
    /** Lower case. For `basic` it is `authorization`. */
    readonly header: string;
    /** Literal text before the signature, for example `sha256=`. */
    readonly prefix?: string;
    /** True: the prefix may be missing. */
    readonly prefixOptional?: boolean;
    readonly encoding?: 'hex' | 'base64';
    /** Several signatures in one header: what stands between them. Any one that verifies is enough. */
    readonly list?: ' ' | ',';
    /** `name=value` pairs in one header, as Stripe's `t=…,v1=…`: what stands between them, and the name of the signature's pair. */
    readonly pairs?: { readonly separator: ',' | ';'; readonly key: string };
  };
  readonly timestamp?: {
    /** A header, a pair of the signature header, or a dotted path in the signed JSON body. */
    readonly from: { readonly header: string } | { readonly pair: string } | { readonly body: string };
    readonly unit: 's' | 'ms';
    /** Seconds on both sides of now, inclusive. */
    readonly toleranceSeconds: number;
  };
  /** Header with the message id, where the id is part of what is signed. */
  readonly id?: { readonly header: string };
  /** What is signed: any text with `{body}`, `{timestamp}`, `{id}`, `{url}`. Default `{body}`. */
  readonly content?: string;
}

/** A request on which a plugin's own verifier decides; nothing of it is believed yet. */
export interface UnverifiedRequest {
  /** Names in lower case; a header that came more than once has all its values. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The exact bytes. */
  readonly body: Buffer;
  /** The public URL that the provider was given. */
  readonly url: string;
  /** Active secrets of the connection, newest first. */
  readonly secrets: readonly string[];
  /** By the database's clock; milliseconds. */
  readonly nowMs: number;
}

/**
 * Where no scheme can say it (JWT, RSA). Compares in constant time, and answers `invalid` to whatever is malformed;
 * an exception counts as `invalid` too. It must not ask anybody else: keys come from the connection's options or secrets.
 */
export interface SignatureVerifier {
  verify(request: UnverifiedRequest): SignatureVerdict | Promise<SignatureVerdict>;
}

export type SignatureVerdict =
  /** `secretIndex`: which of the secrets it was. */
  { readonly ok: true; readonly secretIndex: number } | { readonly ok: false; readonly reason: 'missing' | 'invalid' | 'timestamp' };
