import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { type ClassConstructor, plainToInstance } from 'class-transformer';
import { type ValidationError, validateSync } from 'class-validator';
import { type Fault, InvalidInput } from '../../plugin/index.js';

const UNKNOWN = 'is not known here';

/** Checks queries and bodies against their classes, and says every fault with its path. What a class does not name is a fault too. */
@Injectable()
export class RequestPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if ((type !== 'query' && type !== 'body') || metatype === undefined || metatype === Object) return value;
    return check(metatype, value ?? {}, type);
  }
}

function check(into: ClassConstructor<unknown>, value: unknown, type: 'query' | 'body'): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InvalidInput('The body should be a JSON object.', [{ path: '', message: 'should be an object' }]);
  // Names like `constructor` and `toString`, which every object has, are lost to the libraries below without a word.
  const inherited = Object.keys(value).filter((name) => name in Object.prototype);
  if (inherited.length > 0)
    throw refusal(
      type,
      inherited.map((path) => ({ path, message: UNKNOWN })),
    );
  const instance = plainToInstance(into, value) as object;
  const faults = validateSync(instance, { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: false }).flatMap((error) =>
    faultsOf(error, ''),
  );
  if (faults.length === 0) return instance;
  throw refusal(type, faults);
}

function refusal(type: 'query' | 'body', faults: readonly Fault[]): InvalidInput {
  return new InvalidInput(type === 'query' ? 'The query is not right.' : 'The body is not right.', faults);
}

function faultsOf({ property, constraints, children }: ValidationError, parent: string): Fault[] {
  const path = parent === '' ? property : /^\d+$/.test(property) ? `${parent}[${property}]` : `${parent}.${property}`;
  const own = Object.entries(constraints ?? {}).map(([rule, message]) => ({
    path,
    message: rule === 'whitelistValidation' ? UNKNOWN : withoutName(message, property),
  }));
  return [...own, ...(children ?? []).flatMap((child) => faultsOf(child, path))];
}

/** A message begins with the property, which the path says already; the same word further on is part of its sentence. */
function withoutName(message: string, property: string): string {
  return message.startsWith(`${property} `) ? message.slice(property.length + 1) : message.replace(/^each value in \S+ /, 'each value ');
}
