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
    if (typeof value === 'string') return this.spendText(value.length);
    if (!Array.isArray(value)) return this.spend(1 + (isRecord(value) ? Object.keys(value).length : 0));
    this.spend(1 + value.length);
    for (const element of value) {
      if (typeof element === 'string') this.spendText(element.length);
      else if (Array.isArray(element)) this.spend(element.length);
    }
  }

  /** For an operation that goes through all of the value. Shared parts count each time: whoever prints it meets them each time. */
  spendDeep(value: unknown): void {
    if (typeof value === 'string') return this.spendText(value.length);
    this.spend(1);
    if (Array.isArray(value)) for (const element of value) this.spendDeep(element);
    else if (isRecord(value)) for (const key of Object.keys(value)) this.spendField(key, value[key]);
  }

  private spendField(key: string, value: unknown): void {
    this.spendText(key.length);
    this.spendDeep(value);
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
