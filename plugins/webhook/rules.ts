import { ValidateBy, type ValidationArguments } from 'class-validator';
import { expressionFault, InvalidInput, schemeFrom } from 'throughline/plugin';

type Check = (value: unknown) => string | null;

const HEADER = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;

/** A JMESPath expression over the payload. */
export function IsExpression(): PropertyDecorator {
  return passes('isExpression', expressionRule);
}

/** What is read from a request: an expression, `{ header }`, or a list of them. */
export function IsPart(): PropertyDecorator {
  return passes('isPart', (value) => {
    if (!Array.isArray(value)) return partFault(value);
    if (value.length === 0) return 'must not be an empty list';
    const faults = value.map((part, index) => ({ index, fault: partFault(part) }));
    const wrong = faults.find(({ fault }) => fault !== null);
    return wrong === undefined ? null : `has at place ${wrong.index} something that ${wrong.fault}`;
  });
}

/** `none`, the name of a signature preset, or an object of the verifier's parameters. */
export function IsSignature(): PropertyDecorator {
  return passes('isSignature', (value) => {
    if (value === 'none') return null;
    try {
      schemeFrom(value, '');
      return null;
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      return error.faults.map(({ path, message }) => `${path.replace(/^\./, '')} ${message}`.trim()).join('; ');
    }
  });
}

export function IsHeaderName(): PropertyDecorator {
  return passes('isHeaderName', (value) => (isHeaderName(value) ? null : 'must be the name of a header'));
}

function passes(name: string, check: Check): PropertyDecorator {
  return ValidateBy({
    name,
    validator: {
      validate: (value: unknown) => check(value) === null,
      defaultMessage: (args?: ValidationArguments) => check(args?.value) ?? '',
    },
  });
}

function expressionRule(value: unknown): string | null {
  return typeof value === 'string' ? expressionFault(value) : 'must be a JMESPath expression, written as a text';
}

function partFault(part: unknown): string | null {
  if (typeof part === 'string') return expressionFault(part);
  const fields: Readonly<Record<string, unknown>> = typeof part === 'object' && part !== null ? { ...part } : {};
  const names = [fields.header].flat();
  if (names.length === 0 || !names.every(isHeaderName) || Object.keys(fields).length > 1)
    return 'must be a JMESPath expression, or { header: name } with one name or a list of names';
  return null;
}

function isHeaderName(value: unknown): value is string {
  return typeof value === 'string' && HEADER.test(value);
}
