import { type Automation, automationsMark, enabledAutomations } from '../../core/automations/automations.js';
import { runtimeOf, type Surroundings } from '../../core/automations/surroundings.js';
import { compileListeners, type Listener, type Listeners } from '../../core/automations/triggers.js';
import { KeptCurrent } from '../../core/kept-current.js';
import type { Route } from '../../core/routing/route.js';
import type { Signals } from '../../core/signals.js';
import type { Database } from '../../database/database.js';

/** What the configuration says about what automations name. */
export interface TriggerPlace {
  aroundOf(org: string): Surroundings;
  /** How far what a source says is trusted. */
  trustOf(org: string, source: string): Route['trust'];
}

export interface TriggerReports {
  /** An automation that was stored without a check: it listens to nothing. */
  unreadable(automation: string, reason: string): void;
  /** What is known stays what it was; it is tried again. */
  failed(reason: string): void;
}

/** As long as it may take until an event is accepted by what is known. */
const NOBODY: readonly Listener[] = [];

/**
 * The event triggers of all enabled automations, compiled, in memory. They are read anew when this process or another one says that
 * automations changed, and looked for behind that, by one figure of the store.
 */
export class TriggerRegistry extends KeptCurrent implements Listeners {
  private listeners: ReadonlyMap<string, readonly Listener[]> = new Map();
  private routes: ReadonlyMap<string, Route> = new Map();
  private mark = '';

  constructor(
    private readonly database: Database,
    signals: Signals,
    private readonly place: TriggerPlace,
    private readonly reports: TriggerReports,
  ) {
    super(signals, 'automations');
  }

  of(org: string, source: string): readonly Listener[] {
    return this.listeners.size === 0 ? NOBODY : (this.listeners.get(placeText(org, source)) ?? NOBODY);
  }

  /** The first trigger of an enabled automation, as a route of its deliveries; null: there is none of that name. */
  route(name: string): Route | null {
    return this.routes.get(name) ?? null;
  }

  /** The largest number of prompts that any trigger lets into one turn. */
  get widest(): number {
    return Math.max(0, ...[...this.routes.values()].map(({ coalesce }) => coalesce));
  }

  protected failed(reason: string): void {
    this.reports.failed(reason);
  }

  protected async load(): Promise<void> {
    const { mark, found } = await this.database.transaction(async (tx) => {
      const now = await automationsMark(tx);
      return { mark: now, found: now === this.mark ? null : await enabledAutomations(tx) };
    });
    if (found === null) return;
    const all = found.flatMap((automation) => this.compiled(automation));
    this.listeners = Map.groupBy(all, ({ org, source }) => placeText(org, source));
    this.routes = new Map(all.toReversed().map(({ triggers: [{ route }] }) => [route.name, route]));
    this.mark = mark;
  }

  private compiled(automation: Automation): Listener[] {
    const { id, org, spec } = automation;
    const isSandboxed = runtimeOf(spec, this.place.aroundOf(org))?.isSandboxed ?? false;
    try {
      return compileListeners(automation, { isSandboxed, trustOf: (source) => this.place.trustOf(org, source) });
    } catch (error) {
      this.reports.unreadable(id, error instanceof Error ? error.message : String(error));
      return [];
    }
  }
}

function placeText(org: string, source: string): string {
  return `${org}/${source}`;
}
