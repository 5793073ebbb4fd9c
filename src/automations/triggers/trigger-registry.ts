import { type Automation, automationsMark, enabledAutomations } from '../../core/automations/automations.js';
import { runtimeOf, type Surroundings } from '../../core/automations/surroundings.js';
import { compileListeners, type Listener, type Listeners } from '../../core/automations/triggers.js';
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

const POLL_MS = 5_000;
/** As long as it may take until an event is accepted by what is known. */
const NOBODY: readonly Listener[] = [];

/**
 * The event triggers of all enabled automations, compiled, in memory. They are read anew when this process or another one says that
 * automations changed, and looked for behind that, by one figure of the store.
 */
export class TriggerRegistry implements Listeners {
  private listeners: ReadonlyMap<string, readonly Listener[]> = new Map();
  private routes: ReadonlyMap<string, Route> = new Map();
  private mark = '';
  private reading: Promise<void> | null = null;
  private isStale = false;
  private poll: NodeJS.Timeout | null = null;

  constructor(
    private readonly database: Database,
    private readonly signals: Signals,
    private readonly place: TriggerPlace,
    private readonly reports: TriggerReports,
  ) {}

  /** Resolves when the automations of the moment are known. */
  async start(pollMs = POLL_MS): Promise<void> {
    this.signals.on('automations', this.changed);
    this.poll = setInterval(() => void this.refresh(), pollMs).unref();
    await this.load();
  }

  stop(): void {
    this.signals.off('automations', this.changed);
    if (this.poll !== null) clearInterval(this.poll);
    this.poll = null;
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

  /** Set from the moment of a change until it is known: whoever changed an automation finds it changed. */
  get pending(): Promise<void> | null {
    return this.reading;
  }

  /** Reads what has changed, if anything has. Never rejects. */
  refresh(): Promise<void> {
    this.isStale = true;
    this.reading ??= this.readAll().finally(() => {
      this.reading = null;
    });
    return this.reading;
  }

  private readonly changed = (): void => {
    void this.refresh();
  };

  private async readAll(): Promise<void> {
    while (this.isStale) {
      this.isStale = false;
      try {
        await this.load();
      } catch (error) {
        this.reports.failed(error instanceof Error ? error.message : String(error));
      }
    }
  }

  private async load(): Promise<void> {
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
