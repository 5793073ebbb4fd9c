import { IsUUID, ValidateBy, type ValidationArguments, type ValidationOptions } from 'class-validator';

const STATE = { message: "$property must be the UUID of a workflow state, not the state's name" };

/** The columns of one team's board by which people steer the work on an issue: each the UUID of a workflow state. */
export class WorkBoard {
  /** A person wants a plan. */
  @IsUUID(undefined, STATE)
  readonly planning!: string;

  /** The plan waits for a person. */
  @IsUUID(undefined, STATE)
  readonly planApproval!: string;

  /** A person has let the work be done. */
  @IsUUID(undefined, STATE)
  readonly approved!: string;

  /** It is being done. */
  @IsUUID(undefined, STATE)
  readonly inProgress!: string;

  /** It is done as the agent sees it. */
  @IsUUID(undefined, STATE)
  readonly review!: string;

  /** It cannot go on without a person. */
  @IsUUID(undefined, STATE)
  readonly blocked!: string;

  /** A person has taken what was reviewed. */
  @IsUUID(undefined, STATE)
  readonly done!: string;
}

export type Column = keyof WorkBoard;
export const COLUMNS: readonly Column[] = ['planning', 'planApproval', 'approved', 'inProgress', 'review', 'blocked', 'done'];

/** A state stands for one column of one board; and without a token no board can be read. */
export function AreBoards(options: ValidationOptions): PropertyDecorator {
  const validate = (value: unknown, given?: ValidationArguments) => isSteerable(value, given?.object as { token?: unknown } | undefined);
  return ValidateBy({ name: 'areBoards', validator: { validate } }, options);
}

function isSteerable(value: unknown, connection: { readonly token?: unknown } | undefined): boolean {
  if (!Array.isArray(value) || value.length === 0 || connection?.token === undefined) return false;
  const states = value.flatMap((board: Partial<WorkBoard> | null) => COLUMNS.map((column) => board?.[column]));
  return new Set(states).size === states.length;
}
