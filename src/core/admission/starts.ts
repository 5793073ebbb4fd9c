import type { AutomationNow } from '../automations/automations.js';
import type { LiveRun, NewRun } from '../runs/runs.js';

/** The automations that a group of events may start, what of them lives, and the runs that deciding makes. Nothing here knows of a database. */
export class Starts {
  readonly made: NewRun[] = [];
  private readonly automations = new Map<string, AutomationNow>();
  private readonly live = new Map<string, LiveRun>();
  private readonly busy = new Set<string>();
  private readonly standing = new Set<string>();

  know(automations: readonly AutomationNow[]): void {
    for (const each of automations) this.automations.set(each.id, each);
  }

  /** `busy`: automations of which any run lives. `standing`: conversations that a sandbox has open. */
  find(found: { readonly live: readonly LiveRun[]; readonly busy: readonly string[]; readonly standing: readonly string[] }): void {
    for (const run of found.live) this.live.set(run.conversation, run);
    for (const automation of found.busy) this.busy.add(automation);
    for (const conversation of found.standing) this.standing.add(conversation);
  }

  /** Undefined: there is none any more. */
  automation(id: string): AutomationNow | undefined {
    return this.automations.get(id);
  }

  isLive(conversation: string): boolean {
    return this.live.has(conversation);
  }

  isBusy(automation: string): boolean {
    return this.busy.has(automation);
  }

  isStanding(conversation: string): boolean {
    return this.standing.has(conversation);
  }

  begin(run: NewRun): void {
    this.made.push(run);
    if (run.state !== 'queued') return;
    const { id, automation, conversation, subject } = run;
    this.live.set(conversation, { id, automation, conversation, subject });
    this.busy.add(automation);
  }

  /** Something waits for a dispatcher. */
  get hasQueued(): boolean {
    return this.made.some(({ state }) => state === 'queued');
  }
}
