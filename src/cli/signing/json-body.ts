import { InvalidInput } from '../../plugin/index.js';

type Fields = Readonly<Record<string, unknown>>;

/** The body with some of its fields replaced. Throws `InvalidInput` for a body that is no JSON object. */
export function withFields(body: Buffer | string, replaced: Fields): { readonly bytes: Buffer; readonly fields: Fields } {
  const fields = { ...objectIn(body.toString()), ...replaced };
  return { bytes: Buffer.from(JSON.stringify(fields)), fields };
}

function objectIn(text: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new InvalidInput(`the payload is no JSON, and this provider signs a field of it: ${(cause as Error).message}`, [], { cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new InvalidInput('the payload is no JSON object, and this provider signs a field of it');
  }
  return { ...value };
}
