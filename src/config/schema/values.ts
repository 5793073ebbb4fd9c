import { isName, NAME_PATTERN, NAME_RULE } from '../names.js';
import { DURATION_PATTERN, parseDuration, parseSize, SIZE_PATTERN } from '../units.js';
import { declare, type ValueSchema } from './field.js';

/** `about`: what the key means. A key with `required: true` has to be there. */
interface About {
  readonly about: string;
  readonly required?: boolean;
}

interface Pattern {
  readonly matches: string;
  readonly rule: string;
}

/** A text or a reference to one: what editors accept where a text is expected. */
export const TEXT_SCHEMA: ValueSchema = { anyOf: [{ type: 'string', minLength: 1 }, { $ref: '#/$defs/Reference' }] };

const TEXT_RULE = 'must be text, or a reference `{ env: NAME }` or `{ file: PATH }`';

export function Text({ about, required = false }: About, pattern?: Pattern): PropertyDecorator {
  const holds = (value: unknown) =>
    typeof value === 'string' && value !== '' && (pattern === undefined || new RegExp(pattern.matches).test(value));
  const message = (value: unknown) => {
    if (value === '') return required ? 'is required and must not be empty' : 'must not be empty';
    return typeof value === 'string' && pattern !== undefined ? pattern.rule : TEXT_RULE;
  };
  return declare({ about, required, type: 'text', verbatim: true }, { name: 'text', holds, message }, TEXT_SCHEMA);
}

/** The name of something that stands in the file under this name. */
export function Name({ about, required = false }: About): PropertyDecorator {
  const message = (value: unknown) => (value === '' && required ? 'is required and must not be empty' : NAME_RULE);
  const schema = { type: 'string', pattern: NAME_PATTERN };
  return declare({ about, required, type: 'name', verbatim: true }, { name: 'name', holds: isName, message }, schema);
}

interface Bounds extends About {
  readonly min: number;
  readonly max: number;
}

export function Whole({ about, min, max }: Bounds): PropertyDecorator {
  const holds = (value: unknown) => typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
  const check = { name: 'whole', holds, message: `must be a whole number from ${min} to ${max}` };
  return declare({ about, required: false, type: 'whole number' }, check, { type: 'integer', minimum: min, maximum: max });
}

export function Decimal({ about, min, max }: Bounds): PropertyDecorator {
  const holds = (value: unknown) => typeof value === 'number' && value >= min && value <= max;
  const check = { name: 'decimal', holds, message: `must be a number from ${min} to ${max}` };
  return declare({ about, required: false, type: 'number' }, check, { type: 'number', minimum: min, maximum: max });
}

export function Flag({ about }: About): PropertyDecorator {
  const check = { name: 'flag', holds: (value: unknown) => typeof value === 'boolean', message: 'must be true or false' };
  return declare({ about, required: false, type: 'true or false' }, check, { type: 'boolean' });
}

/** One of `values`; those of `notBuilt` are known, and refused with that reason. */
export function OneOf(values: readonly string[], { about }: About, notBuilt: readonly string[] = []): PropertyDecorator {
  const listed = values.map((value) => `\`${value}\``).join(' or ');
  const message = (value: unknown) => {
    const planned = notBuilt.find((each) => each === value);
    return planned === undefined ? `must be ${listed}` : `\`${planned}\` is not built yet in this version`;
  };
  const check = { name: 'oneOf', holds: (value: unknown) => values.some((each) => each === value), message };
  return declare({ about, required: false, type: listed, verbatim: true }, check, { enum: values });
}

export function Duration({ about }: About): PropertyDecorator {
  const message = (value: unknown) =>
    typeof value === 'number'
      ? 'has no unit; write a duration such as `250ms`, `5s`, `5m`, `1h` or `7d`'
      : 'must be a duration such as `250ms`, `5s`, `5m`, `1h` or `7d`, up to ten years';
  const check = { name: 'duration', holds: (value: unknown) => parseDuration(value) !== null, message };
  return declare({ about, required: false, type: 'duration', verbatim: true }, check, { type: 'string', pattern: DURATION_PATTERN });
}

export function Size({ about }: About): PropertyDecorator {
  const message = 'must be a size such as `25mb` or `512kb`, or a whole number of bytes';
  const check = { name: 'size', holds: (value: unknown) => parseSize(value) !== null, message };
  const schema = {
    anyOf: [
      { type: 'string', pattern: SIZE_PATTERN },
      { type: 'integer', minimum: 0 },
    ],
  };
  return declare({ about, required: false, type: 'size' }, check, schema);
}

interface ListRules {
  readonly filled?: boolean;
  readonly unique?: boolean;
  readonly each?: Pattern;
}

/** A list of texts, each as `each` says; at least one where `filled`, none twice where `unique`. */
export function TextList({ about, required = false }: About, { filled = false, unique = false, each }: ListRules = {}): PropertyDecorator {
  const matches = each === undefined ? null : new RegExp(each.matches);
  const isItem = (item: unknown) => typeof item === 'string' && item !== '' && (matches?.test(item) ?? true);
  const repeats = (list: readonly unknown[]) => unique && new Set(list).size < list.length;
  const holds = (value: unknown) => Array.isArray(value) && value.every(isItem) && !(filled && value.length === 0) && !repeats(value);
  const message = (value: unknown) => {
    if (!Array.isArray(value)) return 'must be a list of texts, for example `[first, second]`';
    if (value.length === 0) return required ? 'is required and must not be empty' : 'must not be empty';
    if (!value.every(isItem)) return each === undefined ? 'must hold only texts, none of them empty' : `each ${each.rule}`;
    return 'must not name the same thing twice';
  };
  const item = each === undefined ? TEXT_SCHEMA : { type: 'string', pattern: each.matches };
  const schema = { type: 'array', items: item, ...(unique ? { uniqueItems: true } : {}), ...(filled ? { minItems: 1 } : {}) };
  return declare({ about, required, type: 'list of texts' }, { name: 'textList', holds, message }, schema);
}
