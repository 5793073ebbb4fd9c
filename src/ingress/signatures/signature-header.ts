import type { SignatureScheme } from '../../plugin/index.js';

/** More than any provider sends during a rotation; bounds the work that one request can ask for. */
const MOST_CANDIDATES = 16;

/** The signatures that a header offers, without prefixes and names. Entries of other versions are left out. */
export function candidateSignatures(scheme: SignatureScheme, header: string): string[] {
  const { signature } = scheme;
  const entries = signature.pairs
    ? pairValues(header, signature.pairs.separator, signature.pairs.key)
    : signature.list
      ? header.split(signature.list)
      : [header];
  return entries.slice(0, MOST_CANDIDATES).flatMap((entry) => withoutPrefix(scheme, entry) ?? []);
}

/** Values of a name among `name=value` pairs. Names are compared exactly, so `t=1, v1=…` has no `v1`. */
export function pairValues(header: string, separator: string, name: string): string[] {
  return header
    .split(separator)
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}

function withoutPrefix({ algorithm, signature }: SignatureScheme, entry: string): string | null {
  const prefix = signature.prefix ?? (algorithm === 'basic' ? 'Basic ' : '');
  const start = entry.slice(0, prefix.length);
  // The name of an authentication scheme has no case (RFC 9110, section 11.1); every other prefix is literal.
  const matches = signature.header === 'authorization' ? start.toLowerCase() === prefix.toLowerCase() : start === prefix;
  if (matches) return entry.slice(prefix.length);
  return signature.prefixOptional ? entry : null;
}
