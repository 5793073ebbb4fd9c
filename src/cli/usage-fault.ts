/** The command was called in a way that cannot work: exit code 2. */
export class UsageFault extends Error {
  override readonly name = 'UsageFault';
}
