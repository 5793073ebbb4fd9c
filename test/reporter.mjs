/** Prints `N passed, N failed` as the last line of a run, whatever else jest has to say at its end. */
export default class LastLineReporter {
  onRunComplete(_contexts, results) {
    // A suite that could not be loaded has no tests to fail, and an interrupted run may have none that did.
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const counted = results.success && !results.wasInterrupted ? failed : Math.max(failed, 1);
    process.once('exit', () => process.stdout.write(`${results.numPassedTests} passed, ${counted} failed\n`));
  }
}
