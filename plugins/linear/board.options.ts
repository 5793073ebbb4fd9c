import { isUUID, ValidateBy, type ValidationOptions } from 'class-validator';
import { fields } from './json.js';

const WORKSPACE = /^[a-z0-9]([a-z0-9._-]{0,62}[a-z0-9])?$/;

/** A map of projects to workspaces with at least one entry. */
export function IsBoard(options: ValidationOptions): PropertyDecorator {
  return ValidateBy({ name: 'isBoard', validator: { validate: isBoard } }, options);
}

function isBoard(value: unknown): boolean {
  const entries = Object.entries(fields(value) ?? {});
  return entries.length > 0 && entries.every(([project, workspace]) => isUUID(project) && isWorkspace(workspace));
}

function isWorkspace(value: unknown): boolean {
  return typeof value === 'string' && WORKSPACE.test(value);
}
