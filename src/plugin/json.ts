// Readers for what a provider sends: JSON in which any field may be missing or something else.

/** An object of a JSON payload, whose fields may hold anything. */
export type Fields = Readonly<Record<string, unknown>>;

/** The value when it is a JSON object, else nothing. */
export function fields(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

/** The objects in the value when it is a list, else none. */
export function list(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(fields).filter((item) => item !== undefined) : [];
}

/** The value when it is a string with something to read in it, else nothing. */
export function word(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** The value when it is a number that can be counted with, else nothing. */
export function whole(value: unknown): number | undefined {
  return Number.isSafeInteger(value) ? (value as number) : undefined;
}

/** Leaves out what is not known, so that a result equals its own JSON. */
export function known<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
