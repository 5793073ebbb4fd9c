import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { validate } from 'uuid';
import { AGENT_KINDS } from './agents.js';
import type { Origin } from './standing.js';

type Fields = Readonly<Record<string, unknown>>;

/** What is wrong with a request, by its place, as the API tells it. */
export class Unprocessable extends Error {
  override readonly name = 'Unprocessable';

  constructor(readonly faults: readonly { readonly loc: readonly string[]; readonly msg: string }[]) {
    super(faults.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; '));
  }
}

export interface PostedMessage {
  readonly text: string;
  readonly run: boolean;
  readonly id: string | undefined;
}

/** The conversation that a request asks for, and what it is told first. `folder`: where conversations without one of their own work. */
export function readStart(body: unknown, folder: string): { readonly origin: Origin; readonly first: PostedMessage | null } {
  const read = new Reader(body);
  const id = read.uuid('conversation_id') ?? randomUUID();
  const agent = read.object('agent');
  if (agent === null) read.fault(['agent'], `is missing: { "kind": ${AGENT_KINDS.map((kind) => `"${kind}"`).join(' | ')}, … }`);
  const place = read.object('workspace');
  const directory = place?.['working_dir'] ?? path.join(folder, id);
  if (typeof directory !== 'string' || !path.isAbsolute(directory)) read.fault(['workspace', 'working_dir'], 'must be an absolute path');
  const first = read.object('initial_message');
  const title = read.text('title', 200);
  const tags = tagsOf(read);
  read.done();
  return {
    origin: { id, created_at: new Date().toISOString(), agent: agent ?? {}, working_dir: String(directory), title, tags },
    first: first === null ? null : { ...readMessage(first), run: true },
  };
}

/** Only what a user says is taken, as text. */
export function readMessage(body: unknown): PostedMessage {
  const read = new Reader(body);
  const role = read.text('role', 20) ?? 'user';
  if (role !== 'user') read.fault(['role'], 'only messages of the role user are taken');
  const parts = read.list('content');
  const texts = parts.map((part, index) => {
    const { type, text } = (typeof part === 'object' && part !== null ? part : {}) as Fields;
    if (type !== 'text' || typeof text !== 'string') read.fault(['content', String(index)], 'only { "type": "text", "text": … } is taken');
    return String(text);
  });
  const id = read.uuid('message_id');
  const run = read.flag('run');
  read.done();
  return { text: texts.join(''), run, id };
}

export function readCommand(body: unknown): { command: string; cwd: string | undefined; timeout: number } {
  const read = new Reader(body);
  const command = read.text('command', 1024 * 1024);
  if (command === null) read.fault(['command'], 'is missing');
  const cwd = read.text('cwd', 4096) ?? undefined;
  const timeout = read.number('timeout', 300, { least: 1, most: 86_400 * 7 });
  read.done();
  return { command: command ?? '', cwd, timeout };
}

export function readConfirmation(body: unknown): boolean {
  const read = new Reader(body);
  const isAccepted = read.flag('accept');
  read.done();
  return isAccepted;
}

export function readChange(body: unknown): { readonly title: string | null } {
  const read = new Reader(body);
  const title = read.text('title', 200);
  read.done();
  return { title };
}

function tagsOf(read: Reader): Record<string, string> {
  const tags = Object.entries(read.object('tags') ?? {});
  for (const [name, value] of tags)
    if (!/^[a-z0-9]{1,64}$/.test(name) || typeof value !== 'string' || value.length > 256)
      read.fault(['tags', name], 'names are lower case letters and digits, values texts of at most 256 characters');
  return Object.fromEntries(tags) as Record<string, string>;
}

/** Reads the fields of a body, and tells all faults at once. Fields that nobody asks for are left alone, as other servers of the API know more. */
class Reader {
  private readonly faults: { loc: readonly string[]; msg: string }[] = [];
  private readonly fields: Fields;

  constructor(body: unknown) {
    const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
    this.fields = isObject ? (body as Fields) : {};
    if (!isObject) this.fault([], 'must be a JSON object');
  }

  fault(loc: readonly string[], msg: string): void {
    this.faults.push({ loc: ['body', ...loc], msg });
  }

  /** Throws `Unprocessable` where anything was wrong. */
  done(): void {
    if (this.faults.length > 0) throw new Unprocessable(this.faults);
  }

  text(name: string, most: number): string | null {
    const value = this.fields[name] ?? null;
    if (value === null || (typeof value === 'string' && value.length <= most)) return value as string | null;
    this.fault([name], `must be a text of at most ${most} characters`);
    return null;
  }

  uuid(name: string): string | undefined {
    const value = this.fields[name] ?? undefined;
    if (value === undefined || (typeof value === 'string' && validate(value))) return value?.toLowerCase();
    this.fault([name], 'must be a UUID');
    return undefined;
  }

  flag(name: string): boolean {
    const value = this.fields[name] ?? false;
    if (typeof value !== 'boolean') this.fault([name], 'must be true or false');
    return value === true;
  }

  number(name: string, otherwise: number, { least, most }: { readonly least: number; readonly most: number }): number {
    const value = this.fields[name] ?? otherwise;
    if (typeof value === 'number' && value >= least && value <= most) return value;
    this.fault([name], `must be a number from ${least} to ${most}`);
    return otherwise;
  }

  object(name: string): Fields | null {
    const value = this.fields[name] ?? null;
    if (value === null || (typeof value === 'object' && !Array.isArray(value))) return value as Fields | null;
    this.fault([name], 'must be an object');
    return null;
  }

  list(name: string): readonly unknown[] {
    const value = this.fields[name] ?? [];
    if (Array.isArray(value)) return value;
    this.fault([name], 'must be a list');
    return [];
  }
}
