import type { Placement } from '../core/controls/control.js';
import { NO_RULES, type WorkspaceRules } from '../core/limits/rules.js';
import type { Route } from '../core/routing/route.js';
import type { AgentRuntime } from '../plugin/index.js';

/** A configured workspace, with the runtime that its turns run on. */
export interface Workspace {
  readonly name: string;
  readonly org: string;
  readonly runtime: AgentRuntime;
  readonly instructions: string | null;
  /** Absolute; null: a folder per conversation. */
  readonly directory: string | null;
  /** True: each conversation has a folder of its own in `directory`. */
  readonly isolate: boolean;
  /** Absolute path or address; each conversation has a working tree of it. Null: none. */
  readonly repository: string | null;
  /** Turns at one time; null: as many as there are workers. */
  readonly concurrency: number | null;
  /** The directory that one turn at a time works in, of whatever workspace that names it; left out: none. */
  readonly sole?: string | null;
  readonly rules: Omit<WorkspaceRules, 'canAppend'>;
  /** Where people see its conversations; left out: nowhere. */
  readonly control?: Placement | null;
}

const DEFAULT_COALESCE = 20;

/** What automations that listen to something say about deliveries of theirs. They come and go while the table stays. */
export interface AutomationRoutes {
  route(name: string): Route | null;
  /** The largest number of prompts that any of them lets into one turn. */
  readonly widest: number;
}

const NO_AUTOMATIONS: AutomationRoutes = { route: () => null, widest: 0 };

/** What the configuration says about work that is already in the store, by the names that stand there. */
export class WorkTable {
  private readonly workspaces: ReadonlyMap<string, Workspace>;
  private readonly routes: ReadonlyMap<string, Route>;
  private readonly widestRoute: number;

  constructor(
    workspaces: readonly Workspace[],
    routes: readonly Route[],
    private readonly automations: AutomationRoutes = NO_AUTOMATIONS,
  ) {
    this.workspaces = new Map(workspaces.map((workspace) => [within(workspace.org, workspace.name), workspace]));
    this.routes = new Map(routes.map((route) => [within(route.org, route.name), route]));
    this.widestRoute = Math.max(DEFAULT_COALESCE, ...routes.map(({ coalesce }) => coalesce));
  }

  /** The largest number of prompts that any route lets into one turn. */
  get widest(): number {
    return Math.max(this.widestRoute, this.automations.widest);
  }

  workspace(org: string, name: string): Workspace | null {
    return this.workspaces.get(within(org, name)) ?? null;
  }

  /** Null: its conversations are shown nowhere. */
  placement(org: string, workspace: string): Placement | null {
    return this.workspace(org, workspace)?.control ?? null;
  }

  /** Workspaces whose turns never work at the same time as those of this one, itself included. */
  besides(org: string, name: string): Pick<Workspace, 'org' | 'name'>[] {
    const sole = this.workspace(org, name)?.sole ?? null;
    return sole === null ? [{ org, name }] : [...this.workspaces.values()].filter((each) => each.sole === sole);
  }

  /** What the workspaces that name a directory name. */
  directories(): string[] {
    return [...this.workspaces.values()].flatMap(({ directory }) => directory ?? []);
  }

  runtimes(): AgentRuntime[] {
    return [...this.workspaces.values()].map(({ runtime }) => runtime);
  }

  /** Null: a route that is no longer configured, or a message that came past the routes. */
  route(org: string, name: string | null): Route | null {
    if (name === null) return null;
    const automated = this.automations.route(name);
    return this.routes.get(within(org, name)) ?? (automated?.org === org ? automated : null);
  }

  /** Of a workspace that is not configured there are none: no turn comes of its claims. */
  rules(org: string, name: string): WorkspaceRules {
    const workspace = this.workspace(org, name);
    return workspace === null ? NO_RULES : { ...workspace.rules, canAppend: workspace.runtime.append !== undefined };
  }

  coalesce(org: string, route: string | null): number {
    return this.route(org, route)?.coalesce ?? DEFAULT_COALESCE;
  }

  onDead(org: string, route: string | null): 'stall' | 'skip' {
    return this.route(org, route)?.onDead ?? 'stall';
  }
}

function within(org: string, name: string): string {
  return `${org}/${name}`;
}
