import type { Admissions } from '../../core/admission/admissions.js';
import { enabledAutomations, findAutomation } from '../../core/automations/automations.js';
import {
  advanceSchedule,
  type DueSchedule,
  dueSchedules,
  nextFireAt,
  saveSchedules,
  schedulesOf,
  storedSchedules,
} from '../../core/schedules/schedules.js';
import { dueSlots } from '../../core/schedules/slots.js';
import type { Signals } from '../../core/signals.js';
import { type NextDue, pauseUntil, WorkLoop } from '../../core/work-loop.js';
import type { Database } from '../../database/database.js';
import { dispatchAutomation } from '../triggers/dispatch-automation.js';

const BATCH = 200;
const POLL_MS = 5000;

/**
 * Starts automations when their slots come. Every replica may: a slot is a start of its own, known by the automation, the trigger and the
 * instant, and comes to one run whoever is first. A slot is put behind only after it was started, so that a crash repeats it to no effect.
 */
export class Scheduler {
  private readonly loop: WorkLoop;
  private next: NextDue | null = null;

  constructor(
    private readonly database: Database,
    private readonly admissions: Admissions,
    private readonly signals: Signals,
    onFailure: (error: Error) => void,
  ) {
    this.loop = new WorkLoop({ look: () => this.look(), waitMs: () => pauseUntil(this.next, POLL_MS), onFailure });
  }

  start(): void {
    this.signals.on('automations', this.changed);
    this.loop.start();
  }

  async stop(): Promise<void> {
    this.signals.off('automations', this.changed);
    await this.loop.stop();
  }

  /** Starts what is due. Resolves to how many schedules that were. */
  async fire(): Promise<number> {
    const { now, due } = await this.database.transaction((tx) => dueSchedules(tx, BATCH));
    await Promise.all(due.map((each) => this.startSlots(each, now)));
    return due.length;
  }

  /** Puts down what is to start when, after automations were changed. */
  async refresh(): Promise<void> {
    await this.database.transaction(async (tx) => {
      // In this order: what another process has stored meanwhile is not taken for something that is no more.
      const stored = await storedSchedules(tx);
      const automations = await enabledAutomations(tx);
      await saveSchedules(tx, stored, automations.flatMap(schedulesOf));
    });
  }

  private readonly changed = (): void => {
    this.loop.wake();
  };

  /** Automations that another process changed without a word are looked for with every look. */
  private async look(): Promise<(() => Promise<void>)[]> {
    this.next = null;
    await this.refresh();
    while ((await this.fire()) === BATCH) if (this.loop.isStopping) return [];
    this.next = await this.database.transaction(nextFireAt);
    return [];
  }

  private async startSlots(due: DueSchedule, now: number): Promise<void> {
    const { automation: id, trigger, nextFireAt: from } = due;
    const found = await this.database.transaction((tx) => findAutomation(tx, id));
    const asked = found?.spec.triggers[trigger];
    if (found !== null && asked?.type === 'cron')
      for (const slot of dueSlots(due, from, now, asked.catch_up))
        await dispatchAutomation(
          { database: this.database, admissions: this.admissions },
          { org: found.org, automation: id, by: 'schedule', why: { cause: 'cron', trigger, slot } },
        );
    await this.database.transaction((tx) => advanceSchedule(tx, due, now));
  }
}
