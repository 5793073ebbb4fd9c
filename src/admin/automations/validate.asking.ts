type Raw = Readonly<Record<string, unknown>>;

/** What somebody wants to know of an automation that is not stored. */
export interface Asking {
  readonly draft: unknown;
  /** The id of a stored one that the draft would change. */
  readonly automation: string | null;
  readonly sample: { readonly source: string | null; readonly event: string | null; readonly payload: unknown } | null;
}

/** A body without `draft` is the draft itself. Whatever is wrong with it is for the answer to tell. */
export function readAsking(body: unknown): Asking {
  const raw = isRaw(body) ? body : {};
  if (!('draft' in raw)) return { draft: body, automation: null, sample: null };
  const { draft, automation_id: automation, sample } = raw;
  return { draft, automation: automation === undefined || automation === null ? null : String(automation), sample: sampleOf(sample) };
}

function sampleOf(sample: unknown): Asking['sample'] {
  if (!isRaw(sample)) return null;
  return { source: textOrNull(sample.source), event: textOrNull(sample.event), payload: sample.payload ?? null };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function isRaw(value: unknown): value is Raw {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
