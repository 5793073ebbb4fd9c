export type SignatureAlgorithm = 'hmac-sha1' | 'hmac-sha256' | 'hmac-sha512' | 'ed25519' | 'token' | 'basic';

/**
 * How a provider proves that a request is its own. One verifier of the host reads it; a plugin only describes.
 * The bytes of the body are used exactly as they arrived.
 */
export interface SignatureScheme {
  readonly algorithm: SignatureAlgorithm;
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
