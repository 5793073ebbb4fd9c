import 'reflect-metadata';
import { Type } from 'class-transformer';
import {
  IsBoolean,
  IsOptional,
  IsString,
  IsUrl,
  Matches,
  MaxLength,
  MinLength,
  ValidateBy,
  ValidateIf,
  ValidateNested,
} from 'class-validator';

const USER = /^@[^:\s\0]+:[^\s\0]{1,230}$/;
const ROOM = /^![^\s\0]{1,254}$/;
const NAME = /^[a-z0-9]([a-z0-9._-]{0,62}[a-z0-9])?$/;

/** The bridge that a room has to be a portal of. */
export class MatrixBridge {
  /** What only this user says about the bridge is believed. */
  @Matches(USER, { message: 'bot must be the user id of the bridge’s bot, for example @whatsappbot:example.org' })
  readonly bot!: string;

  /** Id or display name of its protocol, in any case. Default: any. */
  @IsOptional()
  @MinLength(1)
  @MaxLength(200)
  readonly protocol?: string;
}

/** A room whose messages are read. Its name in `rooms` is a part of its conversation’s identity: choose once. */
export class MatrixRoom {
  @Matches(ROOM, {
    message: 'id must be the id of a room (Element: room settings › Advanced), for example !abc:example.org; an alias (#…) can change',
  })
  readonly id!: string;

  /** What people read. Default: the name in `rooms`. */
  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(200)
  readonly title?: string;

  /** Nothing is read or written unless the room is joined to this bridge. */
  @IsOptional()
  @ValidateNested()
  @Type(() => MatrixBridge)
  readonly bridge?: MatrixBridge;

  /** Nothing is read or written unless the bridge says that the room is connected now. */
  @IsOptional()
  @IsBoolean()
  readonly activePortal: boolean = false;
}

/** Where the keys of an encrypted device are kept. */
export class MatrixStore {
  /** Folder for the snapshot of the device's keys; a server alone may use it. */
  @IsString()
  @MinLength(1)
  readonly folder!: string;

  /** What the snapshot is encrypted with. */
  @IsString()
  @MinLength(16, { message: 'key must have 16 characters or more that cannot be guessed, for example of `openssl rand -base64 32`' })
  @MaxLength(512)
  readonly key!: string;
}

/** What a Matrix connection has beside the host's own keys. */
export class MatrixConnection {
  /** Base URL of the homeserver's client API. */
  @IsUrl(
    { protocols: ['http', 'https'], require_protocol: true, require_tld: false, disallow_auth: true },
    { message: 'apiUrl must be the address of the homeserver’s client API, for example https://matrix-client.matrix.org' },
  )
  readonly apiUrl!: string;

  /** The account whose rooms are read. What it writes itself is not read. A part of every subject: choose once. */
  @Matches(USER, { message: 'user must be the id of the account, for example @ada:example.org' })
  readonly user!: string;

  /** Access token of a device of its own. */
  @ValidateIf(({ token, password }: MatrixConnection) => token !== undefined || password === undefined)
  @Matches(/^[\x21-\x7e]{1,1000}$/, {
    message: 'token must be an access token of the account, for example { env: MATRIX_TOKEN }; or set `password` and `device`',
  })
  readonly token?: string;

  /** With it the server logs in by itself: at its start, and again when its session is ended with a soft logout. Needs `device`. */
  @IsOptional()
  @MinLength(1)
  @MaxLength(512)
  readonly password?: string;

  /** Id of the device, any word. The same for ever: what was sent before, and which keys there are, hangs on it. */
  @ValidateIf(({ password, device }: MatrixConnection) => password !== undefined || device !== undefined)
  @Matches(/^[A-Za-z0-9_.-]{1,100}$/, {
    message: 'device must be a word of letters, digits, `_`, `.` and `-`; with `password` it is needed',
  })
  readonly device?: string;

  /** True: no person uses the account, so that its threads may show conversations. */
  @IsOptional()
  @IsBoolean()
  readonly bot: boolean = false;

  /** The rooms by names of your own. */
  @ValidateBy(
    { name: 'roomNames', validator: { validate: areNamed } },
    { message: 'rooms must be a map from names (lower-case letters, digits, `.`, `_`, `-`) to rooms, each room once' },
  )
  @ValidateNested()
  @Type(() => MatrixRoom)
  readonly rooms: Map<string, MatrixRoom> = new Map();

  /** True: encrypted rooms are read and written with the device's keys. Needs `store`. */
  @IsOptional()
  @IsBoolean()
  readonly encryption: boolean = false;

  @ValidateIf(({ encryption, store }: MatrixConnection) => encryption || store !== undefined)
  @ValidateBy(
    { name: 'storeGiven', validator: { validate: (value: unknown) => value instanceof MatrixStore } },
    { message: 'store must be a folder and a key: encryption needs it' },
  )
  @ValidateNested()
  @Type(() => MatrixStore)
  readonly store?: MatrixStore;

  /** How long a room waits for the key of a message that cannot be read, before it goes on without it. */
  @IsOptional()
  @Matches(/^\d{1,9}(ms|s|m|h|d)$/, { message: 'keyDeadline must be a duration, for example 24h' })
  readonly keyDeadline: string = '24h';
}

function areNamed(rooms: unknown): boolean {
  if (!(rooms instanceof Map)) return false;
  const ids = [...rooms.values()].map((room: MatrixRoom) => room?.id);
  return [...rooms.keys()].every((name) => NAME.test(String(name))) && new Set(ids).size === ids.length;
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

export function keyDeadlineMs({ keyDeadline }: MatrixConnection): number {
  const [, amount, unit] = /^(\d+)(ms|s|m|h|d)$/.exec(keyDeadline) ?? [];
  return Number(amount) * (UNITS[unit ?? ''] ?? Number.NaN);
}
