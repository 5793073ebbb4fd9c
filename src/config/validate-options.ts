import type { Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, type ValidationError } from 'class-validator';
import type { Fault } from '../plugin/index.js';
import { faultsOf, validate } from './check.js';
import type { RawMap } from './raw.js';
import { ConnectionSection } from './schema/connection.js';
import { fieldsOf } from './schema/field.js';

export interface CheckedOptions<T> {
  readonly options: T;
  readonly faults: readonly Fault[];
}

/**
 * Checks a plugin's own options against its class-validator class, in the style of all other faults.
 * `siblings`: keys of the host beside them, which a misspelt key may have been meant for.
 */
export function validateOptions<T extends object>(
  optionsClass: Type<T>,
  raw: Readonly<RawMap>,
  pathPrefix: string,
  siblings: readonly string[] = [...fieldsOf(ConnectionSection).keys()],
): CheckedOptions<T> {
  const options = plainToInstance(optionsClass, raw);
  return { options, faults: faultsOf(validate(options), pathPrefix, [...optionKeys(optionsClass), ...siblings], sayWithoutValue) };
}

/** The keys that a class-validator class declares. */
export function optionKeys(optionsClass: Type<object>): string[] {
  const declared = getMetadataStorage().getTargetValidationMetadatas(optionsClass, '', true, false);
  return [...new Set(declared.map(({ propertyName }) => propertyName))];
}

/** Messages of others may begin with the property, which the path says already, and may hold the value, which may be a secret. */
function sayWithoutValue(message: string, { property, value }: ValidationError): string {
  const said = message.startsWith(`${property} `) ? message.slice(property.length + 1) : message;
  return typeof value === 'string' && value.length >= 4 ? said.replaceAll(value, '…') : said;
}
