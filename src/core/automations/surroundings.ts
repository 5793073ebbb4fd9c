/** What an automation of one organisation may name. */
export interface Surroundings {
  readonly runtimes: ReadonlyMap<string, KnownRuntime>;
  readonly workspaces: ReadonlyMap<string, KnownWorkspace>;
  /** Connections. */
  readonly sources: ReadonlyMap<string, KnownSource>;
}

export interface KnownRuntime {
  /** What kind of agent it runs, for example `acp`, or `process, codex`: one does not know the sessions of another. */
  readonly agent: string;
  /** It can run the entrypoint of a tarball. */
  readonly isSandboxed: boolean;
}

export interface KnownWorkspace {
  readonly runtime: string;
}

export interface KnownSource {
  /** Its events say what they are about, without an expression. */
  readonly namesSubjects: boolean;
}

interface Place {
  readonly runtime: string | null;
  readonly workspace: string | null;
}

/** The runtime that an automation's agents run on, or null: it names none that there is. */
export function runtimeOf(place: Place, around: Surroundings): KnownRuntime | null {
  return around.runtimes.get(runtimeName(place, around)) ?? null;
}

/** What its agents are, in words that differ where the agents do; null: there is no such runtime. */
export function agentOf(place: Place, around: Surroundings): string | null {
  const runtime = runtimeOf(place, around);
  return runtime === null ? null : `${runtimeName(place, around)} (${runtime.agent})`;
}

function runtimeName({ runtime, workspace }: Place, { workspaces }: Surroundings): string {
  return runtime ?? workspaces.get(workspace ?? '')?.runtime ?? '';
}
