import type { SignatureScheme } from '../../plugin/index.js';
import type { ArrivedRequest } from '../arrived-request.js';
import { type RawHeaders, valuesOf } from '../signatures/headers.js';
import { pairValues } from '../signatures/signature-header.js';

/** The form of a header's value: enough to see that it is the wrong one, and nothing of what it says. */
export interface HeaderForm {
  readonly header: string;
  /** How many lines of this name there were; a scheme wants one. */
  readonly lines: number;
  readonly characters: number | null;
  readonly format: 'hex' | 'base64' | 'digits' | 'pairs' | 'other' | null;
  /** Whether it begins as the scheme says; null: the scheme says nothing about that. */
  readonly hasPrefix: boolean | null;
}

/** A request that was refused for its signature, in memory alone: names, lengths and formats. */
export interface RefusedRequest {
  readonly at: number;
  readonly code: string;
  readonly bodyBytes: number;
  /** Names of all headers, so that one under another name is seen. */
  readonly headers: readonly string[];
  readonly signature: HeaderForm;
  readonly id: HeaderForm | null;
  readonly timestamp: (HeaderForm & { readonly skewSeconds: number | null }) | null;
}

const MOST_HEADERS = 50;
const LONGEST_NAME = 100;

/** What anybody who sent the request knows of it anyway; whether a signature was nearly right is never looked at. */
export function refusedRequest(scheme: SignatureScheme, { rawHeaders, body }: ArrivedRequest, code: string, nowMs: number): RefusedRequest {
  const { signature, id, timestamp } = scheme;
  const names = new Set(rawHeaders.map(([name]) => name.toLowerCase().slice(0, LONGEST_NAME)));
  return {
    at: nowMs,
    code,
    bodyBytes: body.length,
    headers: [...names].slice(0, MOST_HEADERS),
    signature: formOf(rawHeaders, signature.header, signature.prefix ?? null),
    id: id ? formOf(rawHeaders, id.header, null) : null,
    timestamp: timestamp && !('body' in timestamp.from) ? timeForm(rawHeaders, scheme, nowMs) : null,
  };
}

function timeForm(headers: RawHeaders, { timestamp, signature }: SignatureScheme, nowMs: number): RefusedRequest['timestamp'] {
  const from = timestamp?.from ?? { header: '' };
  if ('header' in from) {
    const [text = ''] = valuesOf(headers, from.header);
    return { ...formOf(headers, from.header, null), skewSeconds: skewOf(text, timestamp?.unit ?? 's', nowMs) };
  }
  const [line = ''] = valuesOf(headers, signature.header);
  const [text = ''] = 'pair' in from ? pairValues(line, signature.pairs?.separator ?? ',', from.pair) : [];
  return { ...formOf(headers, signature.header, null), skewSeconds: skewOf(text, timestamp?.unit ?? 's', nowMs) };
}

function skewOf(text: string, unit: 's' | 'ms', nowMs: number): number | null {
  if (!/^\d{1,16}$/.test(text)) return null;
  return Math.round((nowMs - Number(text) * (unit === 's' ? 1000 : 1)) / 1000);
}

function formOf(headers: RawHeaders, header: string, prefix: string | null): HeaderForm {
  const values = valuesOf(headers, header);
  const [value] = values;
  if (value === undefined) return { header, lines: 0, characters: null, format: null, hasPrefix: null };
  const rest = prefix !== null && value.startsWith(prefix) ? value.slice(prefix.length) : value;
  return {
    ...{ header, lines: values.length, characters: value.length, format: formatOf(rest) },
    hasPrefix: prefix === null ? null : rest !== value,
  };
}

function formatOf(text: string): HeaderForm['format'] {
  if (/^\d+$/.test(text)) return 'digits';
  if (/^[0-9a-fA-F]+$/.test(text)) return 'hex';
  if (/^\w+=[^=,;]+[,;]/.test(text)) return 'pairs';
  return /^[A-Za-z0-9+/]+={0,2}$/.test(text) ? 'base64' : 'other';
}
