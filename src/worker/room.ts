import type { Room } from '../core/deliveries/claim-deliveries.js';
import type { WorkTable } from './work-table.js';

export interface RoomLimits {
  readonly perWorkspace: number | null;
  readonly perOrg: number | null;
}

/** How many turns are being driven, per workspace and organisation, and whether there is room for one more. */
export class TurnRoom {
  private readonly workspaces = new Map<string, number>();
  private readonly orgs = new Map<string, number>();

  constructor(
    private readonly limits: RoomLimits,
    private readonly table: WorkTable,
  ) {}

  enter(org: string, workspace: string): void {
    add(this.workspaces, JSON.stringify([org, workspace]), 1);
    add(this.orgs, org, 1);
  }

  leave(org: string, workspace: string): void {
    add(this.workspaces, JSON.stringify([org, workspace]), -1);
    add(this.orgs, org, -1);
  }

  /** What is free now, for one claim to give away; and whether it had to turn somebody away. */
  offer(): Room & { readonly wasFull: () => boolean } {
    let wasFull = false;
    const taken = { workspaces: new Map(this.workspaces), orgs: new Map(this.orgs) };
    const working = [...this.workspaces.keys()].map((key) => JSON.parse(key) as [string, string]);
    return {
      full: {
        workspaces: working.filter(([org, name]) => !this.fits(taken, org, name)).map(([org, workspace]) => ({ org, workspace })),
        orgs: [...this.orgs.keys()].filter((org) => !hasRoom(taken.orgs, org, this.limits.perOrg)),
      },
      wasFull: () => wasFull,
      take: (workspace, org) => {
        if (!this.fits(taken, org, workspace)) {
          wasFull = true;
          return false;
        }
        add(taken.workspaces, JSON.stringify([org, workspace]), 1);
        add(taken.orgs, org, 1);
        return true;
      },
    };
  }

  private fits(taken: { workspaces: Map<string, number>; orgs: Map<string, number> }, org: string, workspace: string): boolean {
    const own = this.table.workspace(org, workspace)?.concurrency ?? null;
    const key = JSON.stringify([org, workspace]);
    return (
      hasRoom(taken.orgs, org, this.limits.perOrg) &&
      hasRoom(taken.workspaces, key, own) &&
      hasRoom(taken.workspaces, key, this.limits.perWorkspace)
    );
  }
}

function hasRoom(taken: ReadonlyMap<string, number>, key: string, limit: number | null): boolean {
  return limit === null || (taken.get(key) ?? 0) < limit;
}

function add(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
