/** Prints `N passed, N failed` as the last line of a run, whatever else jest has to say at its end. */
export default class LastLineReporter {
  onRunComplete(_contexts, results) {
    process.once('exit', () => process.stdout.write(`${results.numPassedTests} passed, ${failuresIn(results)} failed\n`));
  }
}

/** A suite that could not be loaded has no tests to fail, and a run that went wrong otherwise may have none that did. */
function failuresIn({ numFailedTests, numRuntimeErrorTestSuites, success, wasInterrupted }) {
  const failed = numFailedTests + numRuntimeErrorTestSuites;
  return success && !wasInterrupted ? failed : Math.max(failed, 1);
}
