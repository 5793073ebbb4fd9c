import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import { Allow, IsOptional, ValidateBy } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';

/** JSON Schema of a value, as far as the configuration needs it. */
export type ValueSchema = Readonly<Record<string, unknown>>;

/** What one key of a section takes; validation, overrides, JSON Schema and the reference page all read it. */
export interface Field {
  /** One or two sentences for the reference page and for editors. */
  readonly about: string;
  /** The kind of value, for people. */
  readonly type: string;
  readonly required: boolean;
  /** True: an environment override is taken as it stands, not as a YAML scalar, so that a secret `123` or `yes` stays text. */
  readonly verbatim: boolean;
  /** False: the key is known and always refused. */
  readonly built: boolean;
  readonly nested: Nested | null;
}

/** `section`: one map of keys; `entries`: a map from names to sections; `list`: sections one after the other; `variables`: a map from any names to text. */
export type Nested =
  | { readonly shape: 'section'; readonly of: () => Type<object>; readonly mayBeOff: boolean }
  | { readonly shape: 'entries' | 'list'; readonly of: () => Type<object> }
  | { readonly shape: 'variables' };

/** A section that takes further keys, which somebody else checks; they are kept in its `rest`. */
export interface Openness {
  /** Keys that such a section may have by what this program itself knows. */
  readonly known: () => readonly string[];
}

const fields = new WeakMap<object, Map<string, Field>>();
const open = new WeakMap<object, Openness>();

export function fieldsOf(section: Type<object>): ReadonlyMap<string, Field> {
  return fields.get(section.prototype) ?? new Map();
}

export function opennessOf(section: Type<object>): Openness | null {
  return open.get(section.prototype) ?? null;
}

export function Open(known: () => readonly string[]): ClassDecorator {
  return (target) => {
    open.set(target.prototype, { known });
  };
}

/** How a value is checked: its name, the check, and what is said when it fails. */
export interface Check {
  readonly name: string;
  readonly holds: (value: unknown) => boolean;
  readonly message: string | ((value: unknown) => string);
}

/** Declares a key of a section. */
export function declare(
  field: Omit<Field, 'verbatim' | 'built' | 'nested'> & Partial<Field>,
  check: Check | null,
  schema: ValueSchema,
): PropertyDecorator {
  const whole: Field = { verbatim: false, built: true, nested: null, ...field };
  return (target, key) => {
    const known = fields.get(target) ?? new Map<string, Field>();
    fields.set(target, known.set(String(key), whole));
    const decorators = [check === null ? Allow() : validation(check), ...(whole.required ? [] : [IsOptional()])];
    for (const decorate of decorators) decorate(target, key);
    JSONSchema({ ...schema, description: whole.about })(target, String(key));
  };
}

function validation({ name, holds, message }: Check): PropertyDecorator {
  const said = typeof message === 'string' ? () => message : message;
  return ValidateBy({ name, validator: { validate: holds, defaultMessage: (args) => said(args?.value) } });
}
