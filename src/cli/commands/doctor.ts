import type { Command } from 'commander';
import { withConfigOption } from '../config-option.js';
import type { DoctorOptions } from '../doctor/doctor.js';
import type { Run } from '../run.js';

export function addDoctor(root: Command, run: Run): void {
  withConfigOption(root.command('doctor'))
    .description('look at all that the server needs, and say what is missing and how to mend it')
    .option('--json', 'for programs')
    .action(async (options: DoctorOptions) => (await import('../doctor/doctor.js')).doctor(options, run));
}
