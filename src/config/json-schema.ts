import type { Type } from '@nestjs/common';
import { ValidationTypes } from 'class-validator';
import { targetConstructorToSchema } from 'class-validator-jsonschema';
import { NAME_PATTERN } from './names.js';
import type { RawMap } from './raw.js';
import { type Field, fieldsOf, type Nested, opennessOf } from './schema/field.js';
import { ConfigFile } from './schema/root.js';
import { AcpSection, AgentServerSection, EchoSection, ProcessSection, RuntimeSection } from './schema/runtime.js';

/** Sections whose keys stand beside `kind`, by its value. */
export const KINDS: readonly (readonly [kind: string, of: Type<object>])[] = [
  ['echo', EchoSection],
  ['process', ProcessSection],
  ['acp', AcpSection],
  ['agent-server', AgentServerSection],
];

type Definitions = Record<string, RawMap>;

/** The JSON Schema of configuration files, for editors. */
export function configSchema(): RawMap {
  const definitions: Definitions = { Reference: referenceSchema() };
  const root = sectionSchema(ConfigFile, definitions);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Throughline configuration',
    ...root,
    properties: { $schema: { type: 'string' }, ...(root.properties as RawMap) },
    $defs: definitions,
  };
}

function referenceSchema(): RawMap {
  const reference = (key: string) => ({
    type: 'object',
    properties: { [key]: { type: 'string', minLength: 1 } },
    required: [key],
    additionalProperties: false,
  });
  return { description: 'The value of an environment variable, or the content of a file.', oneOf: [reference('env'), reference('file')] };
}

function sectionSchema(of: Type<object>, definitions: Definitions): RawMap {
  // What each key takes stands in its declaration; class-validator's own guesses from types are left out.
  const converted = targetConstructorToSchema(of, { additionalConverters: { [ValidationTypes.CUSTOM_VALIDATION]: {} } });
  const fields = [...fieldsOf(of)].filter(([, field]) => field.built);
  const defaults = new of();
  const properties = fields.map(([key, field]): [string, RawMap] => {
    const value: unknown = Reflect.get(defaults, key);
    const hasDefault = !field.required && value !== undefined && (field.nested === null || field.nested.shape === 'variables');
    const schema = { ...converted.properties?.[key], ...nestedSchema(field.nested, definitions) };
    return [key, hasDefault ? { ...schema, default: value } : schema];
  });
  const required = fields.filter(([, field]) => field.required).map(([key]) => key);
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
    ...(of === ProcessSection ? { anyOf: [{ required: ['command'] }, { required: ['preset'] }] } : {}),
    ...(of === RuntimeSection ? { anyOf: kindSchemas(definitions) } : {}),
    additionalProperties: opennessOf(of) !== null,
  };
}

function nestedSchema(nested: Field['nested'], definitions: Definitions): RawMap {
  if (nested === null || nested.shape === 'variables') return {};
  const section = { $ref: `#/$defs/${define(nested, definitions)}` };
  if (nested.shape === 'section') return { anyOf: [section, { type: 'null' }, ...(nested.mayBeOff ? [{ enum: ['off', false] }] : [])] };
  if (nested.shape === 'list') return { type: 'array', items: section };
  return { type: ['object', 'null'], propertyNames: { pattern: NAME_PATTERN }, additionalProperties: section };
}

function define(nested: Extract<Nested, { of: unknown }>, definitions: Definitions): string {
  const of = nested.of();
  const name = of.name.replace(/Section$/, '');
  definitions[name] ??= sectionSchema(of, definitions);
  return name;
}

/** The keys of a built-in kind are closed; those of another are its plugin's. */
function kindSchemas(definitions: Definitions): RawMap[] {
  const builtIn = KINDS.map(([kind, of]) => {
    const section = sectionSchema(of, definitions);
    return { ...section, properties: { kind: { const: kind }, ...(section.properties as RawMap) } };
  });
  return [...builtIn, { properties: { kind: { not: { enum: KINDS.map(([kind]) => kind) } } } }];
}
