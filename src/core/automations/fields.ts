import { parseDuration } from '../duration.js';
import type { SpecFault, SpecFaultCode } from './spec-fault.js';

type Raw = Readonly<Record<string, unknown>>;

/** A value, and where it stands. */
interface Given {
  readonly value: unknown;
  readonly at: string;
}

interface Bounds {
  readonly least: number;
  readonly most: number;
}

/** Reads an object field by field. What is wrong becomes a fault and reads as its default, so that all faults are told at once. */
export class Fields {
  private readonly known: string[] = [];

  private constructor(
    private readonly raw: Raw,
    private readonly path: string,
    private readonly faults: SpecFault[],
  ) {}

  /** Null: it is no object, which is told. */
  static of(raw: unknown, path: string, faults: SpecFault[]): Fields | null {
    if (isObject(raw)) return new Fields(raw, path, faults);
    faults.push({ path, code: 'invalid_type', message: 'must be an object' });
    return null;
  }

  /** Those of nothing. */
  static none(faults: SpecFault[]): Fields {
    return new Fields({}, '', faults);
  }

  /** The value of a field that has several names; null: it is not there. */
  take(...names: readonly [string, ...string[]]): Given {
    const isNew = !this.known.includes(names[0]);
    if (isNew) this.known.push(...names);
    const [first = names[0], second] = names.filter((name) => Object.hasOwn(this.raw, name) && (this.raw[name] ?? null) !== null);
    if (second !== undefined && isNew) this.fault(this.at(second), 'invalid_value', `means the same as \`${first}\`; write one of them`);
    return { value: Object.hasOwn(this.raw, first) ? (this.raw[first] ?? null) : null, at: this.at(first) };
  }

  text(most: number, ...names: readonly [string, ...string[]]): string | null {
    const { value, at } = this.take(...names);
    if (value === null) return null;
    const fault = textFault(value, most);
    if (fault !== null) this.fault(at, ...fault);
    return fault === null ? (value as string) : null;
  }

  requiredText(most: number, ...names: readonly [string, ...string[]]): string {
    const { value, at } = this.take(...names);
    if (value === null) this.fault(at, 'missing', 'is required');
    return this.text(most, ...names) ?? '';
  }

  flag(...names: readonly [string, ...string[]]): boolean | null {
    const { value, at } = this.take(...names);
    if (value === null || typeof value === 'boolean') return value;
    this.fault(at, 'invalid_type', 'must be true or false');
    return null;
  }

  oneOf<const Values extends readonly string[]>(values: Values, ...names: readonly [string, ...string[]]): Values[number] | null {
    const { value, at } = this.take(...names);
    const found = values.find((each) => each === value);
    if (found !== undefined || value === null) return found ?? null;
    this.fault(at, 'invalid_value', `must be ${values.map((each) => `\`${each}\``).join(' or ')}`);
    return null;
  }

  whole({ least, most }: Bounds, ...names: readonly [string, ...string[]]): number | null {
    const { value, at } = this.take(...names);
    if (value === null || (Number.isInteger(value) && Number(value) >= least && Number(value) <= most)) return value as number | null;
    this.fault(at, typeof value === 'number' ? 'invalid_value' : 'invalid_type', `must be a whole number from ${least} to ${most}`);
    return null;
  }

  /** Milliseconds of a number of seconds, or of text such as `90s` and `10m`. */
  duration({ least, most }: Bounds, ...names: readonly [string, ...string[]]): number | null {
    const { value, at } = this.take(...names);
    if (value === null) return null;
    const milliseconds = typeof value === 'number' ? Math.round(value * 1000) : parseDuration(value);
    if (milliseconds !== null && milliseconds >= least && milliseconds <= most) return milliseconds;
    const code = typeof value === 'number' || typeof value === 'string' ? 'invalid_value' : 'invalid_type';
    this.fault(at, code, `must be seconds or a duration such as \`90s\` or \`10m\`, from ${spoken(least)} to ${spoken(most)}`);
    return null;
  }

  /** A list of texts, or one of them alone; each with where it stands. */
  texts({ least, most }: Bounds, ...names: readonly [string, ...string[]]): readonly { readonly text: string; readonly at: string }[] {
    const { value, at } = this.take(...names);
    if (value === null) return [];
    const isList = Array.isArray(value);
    const list: readonly unknown[] = isList ? value : [value];
    if (list.length < least || list.length > most) this.fault(at, 'invalid_value', `must hold ${least} to ${most} texts`);
    return list.slice(0, most).flatMap((text, index) => {
      const place = isList ? `${at}[${index}]` : at;
      const fault = textFault(text, LONGEST_ITEM);
      if (fault !== null) this.fault(place, ...fault);
      return fault === null ? [{ text: text as string, at: place }] : [];
    });
  }

  /** The fields of an object in this one. */
  within(name: string, value: unknown): Fields | null {
    return Fields.of(value, this.at(name), this.faults);
  }

  at(name: string): string {
    return this.path === '' ? name : `${this.path}.${name}`;
  }

  fault(path: string, code: SpecFaultCode, message: string): void {
    this.faults.push({ path, code, message });
  }

  /** Every field that nobody has asked for is a fault. */
  close(): void {
    for (const name of Object.keys(this.raw))
      if (!this.known.includes(name)) this.fault(this.at(name), 'unknown_field', `is not known here; known are ${this.known.join(', ')}`);
  }
}

const LONGEST_ITEM = 500;

function textFault(value: unknown, most: number): readonly [SpecFaultCode, string] | null {
  if (typeof value !== 'string') return ['invalid_type', 'must be text'];
  if (value.trim() === '') return ['invalid_value', 'must not be blank'];
  if (value.length > most) return ['invalid_value', `must have at most ${most} characters`];
  return value.includes('\0') || !value.isWellFormed() ? ['invalid_value', 'must hold neither NUL nor half a character'] : null;
}

function spoken(milliseconds: number): string {
  if (milliseconds < 1000) return `${milliseconds}ms`;
  return milliseconds % 60_000 === 0 ? `${milliseconds / 60_000}m` : `${milliseconds / 1000}s`;
}

function isObject(value: unknown): value is Raw {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
