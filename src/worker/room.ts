import type { Room } from '../core/deliveries/claim-deliveries.js';
import type { WorkTable } from './work-table.js';

export interface RoomLimits {
  readonly perWorkspace: number | null;
  readonly perOrg: number | null;
}

/** Turns, by what they take room of. */
interface Taken {
  readonly workspaces: Map<string, number>;
  readonly orgs: Map<string, number>;
  readonly folders: Map<string, number>;
}

/** How many turns are being driven, per workspace, organisation and folder of which there is one, and whether there is room for one more. */
export class TurnRoom {
  private readonly taken: Taken = { workspaces: new Map(), orgs: new Map(), folders: new Map() };

  constructor(
    private readonly limits: RoomLimits,
    private readonly table: WorkTable,
  ) {}

  enter(org: string, workspace: string): void {
    this.count(this.taken, org, workspace, 1);
  }

  leave(org: string, workspace: string): void {
    this.count(this.taken, org, workspace, -1);
  }

  /** What is free now, for one claim to give away; and whether it had to turn somebody away. */
  offer(): Room & { readonly wasFull: () => boolean } {
    let wasFull = false;
    const { workspaces, orgs, folders } = this.taken;
    const taken = { workspaces: new Map(workspaces), orgs: new Map(orgs), folders: new Map(folders) };
    const working = [...workspaces.keys()].flatMap((key) => this.table.besides(...(JSON.parse(key) as [string, string])));
    return {
      full: {
        workspaces: working.filter(({ org, name }) => !this.fits(taken, org, name)).map(({ org, name }) => ({ org, workspace: name })),
        orgs: [...orgs.keys()].filter((org) => !hasRoom(taken.orgs, org, this.limits.perOrg)),
      },
      wasFull: () => wasFull,
      take: (workspace, org) => {
        if (!this.fits(taken, org, workspace)) {
          wasFull = true;
          return false;
        }
        this.count(taken, org, workspace, 1);
        return true;
      },
    };
  }

  private count(taken: Taken, org: string, workspace: string, by: number): void {
    const sole = this.table.workspace(org, workspace)?.sole ?? null;
    add(taken.workspaces, JSON.stringify([org, workspace]), by);
    add(taken.orgs, org, by);
    if (sole !== null) add(taken.folders, sole, by);
  }

  private fits(taken: Taken, org: string, workspace: string): boolean {
    const { concurrency: own = null, sole = null } = this.table.workspace(org, workspace) ?? {};
    const key = JSON.stringify([org, workspace]);
    return (
      hasRoom(taken.orgs, org, this.limits.perOrg) &&
      (sole === null || hasRoom(taken.folders, sole, 1)) &&
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
