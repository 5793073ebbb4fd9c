import type { Command } from 'commander';
import { type ConfigOption, withConfigOption } from '../configuration.js';
import { diagnose } from '../doctor/diagnose.js';
import { count } from '../doctor/finding.js';
import { humanReport, jsonReport } from '../doctor/report.js';
import { FAILED } from '../exit-code.js';
import type { Run } from '../run.js';
import { say } from '../terminal.js';

interface DoctorOptions extends ConfigOption {
  readonly json?: boolean;
}

export function addDoctor(root: Command, run: Run): void {
  withConfigOption(root.command('doctor'))
    .description('look at all that the server needs, and say what is missing and how to mend it')
    .option('--json', 'for programs')
    .action(async (options: DoctorOptions) => {
      const { terminal } = run;
      const sections = await diagnose(terminal, options);
      say(terminal, options.json ? jsonReport(sections) : humanReport(sections, terminal));
      if (count(sections, 'fault') > 0) run.exitCode = FAILED;
    });
}
