import type { Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { type ValidationError, validateSync } from 'class-validator';
import { targetConstructorToSchema } from 'class-validator-jsonschema';
import { type Fault, InvalidInput } from '../plugin/index.js';

/** An input class as agents are shown it. */
export function inputSchema(input: Type<object>): { readonly [key: string]: unknown; readonly type: 'object' } {
  return { ...targetConstructorToSchema(input), type: 'object', additionalProperties: false };
}

/** What a tool is given, out of the exact bytes that were allowed. Throws `InvalidInput`. */
export function readInput(input: Type<object>, body: Buffer): object {
  return checkInput(input, JSON.parse(body.toString('utf8')));
}

/** Throws `InvalidInput` naming every field that is wrong, and those that do not exist. */
export function checkInput(input: Type<object>, given: unknown): object {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw new InvalidInput('the arguments should be an object');
  const instance = plainToInstance(input, given);
  const faults = validateSync(instance, { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: false }).flatMap((error) =>
    faultsOf(error, ''),
  );
  if (faults.length > 0)
    throw new InvalidInput(`the arguments are wrong: ${faults.map(({ path, message }) => `${path}: ${message}`).join('; ')}`, faults);
  return instance;
}

function faultsOf({ property, constraints = {}, children = [] }: ValidationError, within: string): Fault[] {
  const path = within === '' ? property : `${within}.${property}`;
  return [...Object.values(constraints).map((message) => ({ path, message })), ...children.flatMap((child) => faultsOf(child, path))];
}
