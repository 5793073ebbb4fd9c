/** Thrown inside the evaluation when it would take too long; it never leaves it. */
export class BudgetSpent extends Error {
  override readonly name = 'BudgetSpent';
}

/** What one evaluation may do, in steps of some 100 to 300 ns: tens of milliseconds at worst. */
export const EVALUATION_STEPS = 100_000;

/** The characters that the engine's own string operations get through in one step. */
const CHARS_A_STEP = 16;

/** Counts work rather than time, so that one event gives one answer on every machine and in every replay. */
export class Budget {
  private left = 0;

  refill(): void {
    this.left = EVALUATION_STEPS;
  }

  spend(steps: number): void {
    this.left -= steps;
    // Written so that NaN, too, is too much.
    if (!(this.left >= 0)) throw new BudgetSpent('the expression does too much work');
  }

  /** For an operation that goes once over text of this length, or makes it. */
  spendText(length: number): void {
    this.spend(1 + length / CHARS_A_STEP);
  }

  /** For an operation that looks at the value and, where it is a list, at its elements, but no deeper. */
  spendShallow(value: unknown): void {
    if (typeof value === 'string') this.spendText(value.length);
    else if (Array.isArray(value)) this.spendElements(value);
    else this.spend(1 + (isRecord(value) ? Object.keys(value).length : 0));
  }

  /** For an operation that goes through all of the value. Shared parts count each time: whoever prints it meets them each time. */
  spendDeep(value: unknown): void {
    if (typeof value === 'string') this.spendText(value.length);
    else this.spend(1);
    if (Array.isArray(value)) for (const element of value) this.spendDeep(element);
    else if (isRecord(value)) for (const key of Object.keys(value)) this.spendField(key, value[key]);
  }

  private spendElements(values: readonly unknown[]): void {
    this.spend(1 + values.length);
    for (const value of values) {
      if (typeof value === 'string') this.spendText(value.length);
      else if (Array.isArray(value)) this.spend(value.length);
    }
  }

  private spendField(key: string, value: unknown): void {
    this.spendText(key.length);
    this.spendDeep(value);
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
