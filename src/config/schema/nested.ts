import type { Type } from '@nestjs/common';
import { isMap } from '../raw.js';
import { declare, type ValueSchema } from './field.js';
import { TEXT_SCHEMA } from './values.js';

interface About {
  readonly about: string;
}

/** One map of keys. */
export function Section(of: () => Type<object>, { about }: About, mayBeOff = false): PropertyDecorator {
  const nested = { shape: 'section', of, mayBeOff } as const;
  return declare({ about, required: false, type: mayBeOff ? 'section, or `off`' : 'section', nested }, null, {});
}

/** A map from names, which people choose, to sections. */
export function Entries(of: () => Type<object>, { about }: About): PropertyDecorator {
  return declare({ about, required: false, type: 'section per name', nested: { shape: 'entries', of } }, null, {});
}

/** A list of maps of keys. */
export function List(of: () => Type<object>, { about, required = false }: About & { readonly required?: boolean }): PropertyDecorator {
  return declare({ about, required, type: 'list of sections', nested: { shape: 'list', of } }, null, {});
}

/** Variables for a process: names to texts; numbers and flags are taken as text. */
export function Variables({ about }: About): PropertyDecorator {
  const isValue = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);
  const holds = (value: unknown) =>
    isMap(value) && Object.entries(value).every(([name, each]) => /^[A-Za-z_]\w*$/.test(name) && isValue(each));
  const message = 'must map names of environment variables to texts, for example `{ LOG_LEVEL: debug }`';
  const schema: ValueSchema = {
    type: 'object',
    additionalProperties: { anyOf: [TEXT_SCHEMA, { type: 'number' }, { type: 'boolean' }] },
  };
  const nested = { shape: 'variables' } as const;
  return declare({ about, required: false, type: 'text per name', nested }, { name: 'variables', holds, message }, schema);
}

/** A key of a feature that this version does not have: known, and refused with that reason. */
export function NotBuilt(): PropertyDecorator {
  return (target, key) => {
    const message = `\`${String(key)}\` is not built yet in this version`;
    const about = 'Not built yet in this version.';
    const field = { about, required: false, type: 'nothing', built: false };
    declare(field, { name: 'notBuilt', holds: () => false, message }, {})(target, key);
  };
}
