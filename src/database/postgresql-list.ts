import type { ColumnType, Scalar } from './tx.js';

/** How an element of a list goes over the wire: https://www.postgresql.org/docs/current/protocol-overview.html#PROTOCOL-FORMAT-CODES */
interface Encoding {
  readonly oid: number;
  /** Whether it can be written like this. What cannot is PostgreSQL's to refuse, in its own words. */
  readonly takes: (value: Scalar) => boolean;
  readonly size: (value: never) => number;
  readonly write: (to: Buffer, value: never, at: number) => void;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const HIGH = 2 ** 32;

const whole = (most: number) => (value: Scalar) => Number.isInteger(value) && Math.abs(value as number) <= most;

const ENCODINGS: Readonly<Record<ColumnType, Encoding>> = {
  uuid: {
    oid: 2950,
    takes: (value) => typeof value === 'string' && UUID.test(value),
    size: () => 16,
    write: (to, value: string, at) => void to.write(value.replaceAll('-', ''), at, 'hex'),
  },
  text: {
    oid: 25,
    takes: (value) => typeof value === 'string',
    size: (value: string) => Buffer.byteLength(value),
    write: (to, value: string, at) => void to.write(value, at),
  },
  bigint: {
    oid: 20,
    takes: whole(Number.MAX_SAFE_INTEGER),
    size: () => 8,
    write: (to, value: number, at) => {
      to.writeInt32BE(Math.floor(value / HIGH), at);
      to.writeUInt32BE(value >>> 0, at + 4);
    },
  },
  integer: { oid: 23, takes: whole(2 ** 31 - 1), size: () => 4, write: (to, value: number, at) => void to.writeInt32BE(value, at) },
  smallint: { oid: 21, takes: whole(2 ** 15 - 1), size: () => 2, write: (to, value: number, at) => void to.writeInt16BE(value, at) },
  'double precision': {
    oid: 701,
    takes: (value) => typeof value === 'number',
    size: () => 8,
    write: (to, value: number, at) => void to.writeDoubleBE(value, at),
  },
  bytea: {
    oid: 17,
    takes: (value) => Buffer.isBuffer(value),
    size: (value: Buffer) => value.length,
    write: (to, value: Buffer, at) => void value.copy(to, at),
  },
};

const HEADER = 20;
const EMPTY_HEADER = 12;

/**
 * A list as PostgreSQL's own bytes: as text, what is in it would be escaped here, a character at a time, and read back there. Null: it
 * holds something that is not of its type.
 */
export function encodeList(type: ColumnType, list: readonly Scalar[]): Buffer | null {
  const encoding = ENCODINGS[type];
  const { takes, size, write } = encoding as Encoding & { size(value: Scalar): number; write(to: Buffer, value: Scalar, at: number): void };
  if (!list.every((value) => value === null || takes(value))) return null;
  const sizes = list.map((value) => (value === null ? -1 : size(value)));
  const bytes = Buffer.allocUnsafe(sizes.reduce((sum, each) => sum + 4 + Math.max(each, 0), list.length === 0 ? EMPTY_HEADER : HEADER));
  let at = head(bytes, encoding.oid, list);
  list.forEach((value, i) => {
    const length = sizes[i] ?? -1;
    bytes.writeInt32BE(length, at);
    if (value !== null) write(bytes, value, at + 4);
    at += 4 + Math.max(length, 0);
  });
  return bytes;
}

/** Dimensions, whether there are nulls, the type; how many there are, and the number of the first. */
function head(bytes: Buffer, oid: number, list: readonly Scalar[]): number {
  bytes.writeInt32BE(list.length === 0 ? 0 : 1, 0);
  bytes.writeInt32BE(list.includes(null) ? 1 : 0, 4);
  bytes.writeInt32BE(oid, 8);
  if (list.length === 0) return EMPTY_HEADER;
  bytes.writeInt32BE(list.length, 12);
  bytes.writeInt32BE(1, 16);
  return HEADER;
}

const LISTS = /\?(?:::(uuid|text|bigint|integer|smallint|double precision|bytea)\[\])?/g;

/** What the lists of a statement hold, by the place of their `?`; null for a `?` that is no list. */
export function listTypes(sql: string): (ColumnType | null)[] {
  return [...sql.matchAll(LISTS)].map(([, type]) => (type as ColumnType | undefined) ?? null);
}
