/** A run cannot be begun, for a reason that people can be told. `skip`: nobody's failure; `isPermanent`: a person has to change something. */
export class RunFailure extends Error {
  override readonly name = 'RunFailure';

  constructor(
    readonly code: string,
    message: string,
    readonly how: 'fail' | 'skip' = 'fail',
    readonly isPermanent = true,
  ) {
    super(message);
  }
}
