import { Section } from './nested.js';
import { Decimal, Duration, Whole } from './values.js';

/** `workers.backoff:` - the pause before a failed turn is tried again. */
export class BackoffSection {
  @Duration({ about: 'Pause after the first failure.' })
  readonly first: string = '1s';

  @Decimal({ about: 'Each further pause is this many times longer.', min: 1, max: 100 })
  readonly factor: number = 2;

  @Duration({ about: 'No pause is longer.' })
  readonly max: string = '5m';
}

/** `workers.runs:` - how runs of automations are begun. */
export class RunsSection {
  @Whole({ about: 'Runs of this process that live at once; 0: it begins none.', min: 0, max: 10_000 })
  readonly concurrency: number = 4;

  @Duration({ about: "How long a run's sandbox and its conversation may take to be ready, before the run's own time begins." })
  readonly sandboxReady: string = '5m';
}

/** `workers:` - how turns are driven. */
export class WorkersSection {
  @Whole({ about: 'Turns driven at once by this process; 0: it accepts events and works none.', min: 0, max: 10_000 })
  readonly concurrency: number = 8;

  @Whole({ about: 'Turns at once in one workspace. Default: no limit of its own.', min: 1, max: 10_000 })
  readonly perWorkspace?: number;

  @Whole({ about: 'Turns at once in one org. Default: no limit of its own.', min: 1, max: 10_000 })
  readonly perOrg?: number;

  @Whole({ about: 'Attempts at one delivery before it is dead.', min: 1, max: 1000 })
  readonly maxAttempts: number = 5;

  @Section(() => BackoffSection, { about: 'The pause before a failed turn is tried again.' })
  readonly backoff: BackoffSection = new BackoffSection();

  @Duration({ about: 'How long running turns may still go on when the process is asked to stop.' })
  readonly grace: string = '30s';

  @Duration({
    about:
      'How long a running turn waits for a person to allow what its agent asks for; then the agent is told no, and a later yes begins a turn.',
  })
  readonly approvalWait: string = '15m';

  @Duration({ about: 'How long a person has to decide about it at all; at least `approvalWait`.' })
  readonly approvalExpires: string = '1d';

  @Duration({ about: 'A worker that says nothing for so long has lost its turns to others.' })
  readonly lease: string = '30s';

  @Duration({ about: 'How often a worker says that it lives; less than half of `lease`.' })
  readonly heartbeat: string = '10s';

  @Section(() => RunsSection, { about: 'How runs of automations are begun.' })
  readonly runs: RunsSection = new RunsSection();
}
