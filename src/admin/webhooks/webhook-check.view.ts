import type { HeaderForm, RefusedRequest } from '../../ingress/webhooks/refused-request.js';
import type { SignatureAlgorithm, SignatureScheme } from '../../plugin/index.js';
import { instant } from '../http/instant.js';
import type { ExpectedSignatureDto, HeaderFormDto, RefusedRequestDto } from './webhook-check.dto.js';

const BYTES: Readonly<Partial<Record<SignatureAlgorithm, number>>> = {
  'hmac-sha1': 20,
  'hmac-sha256': 32,
  'hmac-sha512': 64,
  ed25519: 64,
};

export function toExpected({ algorithm, signature, content, id, timestamp, secret }: SignatureScheme): ExpectedSignatureDto {
  const bytes = BYTES[algorithm] ?? null;
  const encoding = signature.encoding ?? 'hex';
  return {
    ...{ algorithm, header: signature.header, prefix: signature.prefix ?? null, encoding: bytes === null ? null : encoding },
    characters: bytes === null ? null : encoding === 'hex' ? bytes * 2 : Math.ceil(bytes / 3) * 4,
    content: bytes === null ? null : (content ?? '{body}'),
    id_header: id?.header ?? null,
    timestamp: timestamp === undefined ? null : placeOf(timestamp.from, signature.header),
    tolerance_seconds: timestamp?.toleranceSeconds ?? null,
    secret_encoding: secret?.encoding ?? 'utf8',
  };
}

function placeOf(from: NonNullable<SignatureScheme['timestamp']>['from'], signatureHeader: string): string {
  if ('header' in from) return `header ${from.header}`;
  return 'pair' in from ? `pair ${from.pair} of header ${signatureHeader}` : `field ${from.body} of the body`;
}

export function toRefused({ at, code, bodyBytes, headers, signature, id, timestamp }: RefusedRequest): RefusedRequestDto {
  return {
    ...{ at: instant(at), code, body_bytes: bodyBytes, headers: [...headers] },
    ...{ signature: toForm(signature), id: id && toForm(id) },
    timestamp: timestamp && { ...toForm(timestamp), age_seconds: timestamp.skewSeconds },
  };
}

function toForm({ header, lines, characters, format, hasPrefix }: HeaderForm): HeaderFormDto {
  return { header, lines, characters, format, has_prefix: hasPrefix };
}
