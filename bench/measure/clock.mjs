/** Milliseconds of the machine's monotonic clock, the same in every process. */
export function now() {
  return Number(process.hrtime.bigint() / 1000n) / 1000;
}
