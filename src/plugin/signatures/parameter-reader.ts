import type { Fault } from '../errors.js';

type Need = 'required' | 'optional';

/** Reads one object that a person wrote, and notes every fault with its path instead of stopping at the first. */
export class ParameterReader {
  private readonly values: ReadonlyMap<string, unknown>;
  private readonly asked = new Set<string>();

  constructor(
    value: unknown,
    private readonly path: string,
    private readonly faults: Fault[],
  ) {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    this.values = new Map(isObject ? Object.entries(value) : []);
    if (!isObject) this.fault('', 'must be an object');
  }

  fault(key: string, message: string): void {
    this.faults.push({ path: key === '' ? this.path : `${this.path}.${key}`, message });
  }

  text(key: string, need: Need = 'optional'): string | undefined {
    const value = this.take(key, need);
    if (value === undefined || (typeof value === 'string' && value !== '')) return value;
    this.fault(key, 'must be a text');
    return undefined;
  }

  /** A header's name, in lower case; empty when there is none. */
  header(key: string, need: Need = 'optional'): string {
    const name = this.text(key, need);
    if (name !== undefined && !/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/.test(name)) this.fault(key, 'must be the name of a header');
    return name?.toLowerCase() ?? '';
  }

  choice<const Choice extends string>(key: string, choices: readonly Choice[]): Choice | undefined {
    const value = this.take(key, 'optional');
    const choice = choices.find((candidate) => candidate === value);
    if (value !== undefined && choice === undefined)
      this.fault(key, `must be one of ${choices.map((candidate) => `"${candidate}"`).join(', ')}`);
    return choice;
  }

  flag(key: string): boolean | undefined {
    const value = this.take(key, 'optional');
    if (value === undefined || typeof value === 'boolean') return value;
    this.fault(key, 'must be true or false');
    return undefined;
  }

  positive(key: string): number | undefined {
    const value = this.take(key, 'optional');
    if (value === undefined || (typeof value === 'number' && value > 0 && Number.isFinite(value))) return value;
    this.fault(key, 'must be a positive number of seconds');
    return undefined;
  }

  group(key: string, need: Need = 'optional'): ParameterReader | null {
    const value = this.take(key, need);
    return value === undefined ? null : new ParameterReader(value, `${this.path}.${key}`, this.faults);
  }

  /** Call it last: what was never asked for is no parameter. */
  finish(): void {
    for (const key of this.values.keys()) {
      if (!this.asked.has(key)) this.fault(key, `is not known here; known are ${[...this.asked].join(', ')}`);
    }
  }

  private take(key: string, need: Need): unknown {
    this.asked.add(key);
    const value = this.values.get(key) ?? undefined;
    if (value === undefined && need === 'required') this.fault(key, 'is missing');
    return value;
  }
}
