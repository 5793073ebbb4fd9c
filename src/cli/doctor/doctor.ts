import type { ConfigOption } from '../config-option.js';
import { FAILED } from '../exit-code.js';
import type { Run } from '../run.js';
import { say } from '../terminal.js';
import { diagnose } from './diagnose.js';
import { count } from './finding.js';
import { humanReport, jsonReport } from './report.js';

export interface DoctorOptions extends ConfigOption {
  readonly json?: boolean;
}

export async function doctor(options: DoctorOptions, run: Run): Promise<void> {
  const { terminal } = run;
  const sections = await diagnose(terminal, options);
  say(terminal, options.json ? jsonReport(sections) : humanReport(sections, terminal));
  if (count(sections, 'fault') > 0) run.exitCode = FAILED;
}
