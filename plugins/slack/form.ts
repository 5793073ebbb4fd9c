import { type Fields, fields } from './json.js';

/** The JSON object in a form's field `payload`, or nothing. How deep it may nest the host checks, as with every event. */
export function readPayloadField({ payload }: Fields): Fields | undefined {
  if (typeof payload !== 'string') return undefined;
  try {
    return fields(JSON.parse(payload));
  } catch {
    return undefined;
  }
}
