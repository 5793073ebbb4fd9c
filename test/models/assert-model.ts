import fc, { type IAsyncProperty } from 'fast-check';

const TIMES = numberIn('THROUGHLINE_MODEL_TIMES');
const SEED = numberIn('THROUGHLINE_MODEL_SEED');

/**
 * Holds a property against `runs` random inputs, and says how to see a failure again.
 * `THROUGHLINE_MODEL_TIMES=50` takes fifty times as many; `THROUGHLINE_MODEL_SEED=<seed>` the same ones as a run before.
 */
export async function assertModel<Input>(property: IAsyncProperty<Input>, runs: number): Promise<void> {
  const chosen = SEED === null ? {} : { seed: SEED };
  const result = await fc.check(property, { numRuns: Math.ceil(runs * (TIMES ?? 1)), ...chosen });
  if (!result.failed) return;
  const { seed } = result;
  throw new Error(`${fc.defaultReportMessage(result)}\n\nSee it again with THROUGHLINE_MODEL_SEED=${seed}`, {
    cause: result.errorInstance,
  });
}

/** A time limit that grows with the number of runs. */
export function modelTimeout(ms: number): number {
  return ms * Math.max(1, TIMES ?? 1);
}

function numberIn(name: string): number | null {
  const text = process.env[name];
  if (text === undefined) return null;
  const value = Number(text);
  if (!Number.isFinite(value)) throw new Error(`${name} must be a number, and is ${text}`);
  return value;
}
