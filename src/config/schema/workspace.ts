import { NotBuilt } from './nested.js';
import { Name, Text, TextList, Whole } from './values.js';

/** `workspaces.<name>:` - where turns work, and on which runtime. */
export class WorkspaceSection {
  @Name({ about: 'The runtime that runs its turns.', required: true })
  readonly runtime: string = '';

  @Name({ about: 'The org that it belongs to.' })
  readonly org: string = 'default';

  @Text({ about: 'What every agent of the workspace is told first.' })
  readonly instructions?: string;

  @Text({
    about:
      'Folder that turns work in, relative to this file; made when it is missing. Default: a folder per conversation in the data folder.',
  })
  readonly directory?: string;

  @TextList(
    { about: 'Names of environment variables of this server that agents get too.' },
    { each: { matches: '^[A-Za-z_][A-Za-z0-9_]*$', rule: 'must be the name of an environment variable' } },
  )
  readonly env: readonly string[] = [];

  @Whole({ about: 'Turns at once in this workspace. Default: `workers.perWorkspace`.', min: 1, max: 10_000 })
  readonly concurrency?: number;

  @NotBuilt()
  readonly parent?: unknown;

  @NotBuilt()
  readonly repository?: unknown;

  @NotBuilt()
  readonly isolate?: unknown;

  @NotBuilt()
  readonly control?: unknown;

  @NotBuilt()
  readonly tools?: unknown;

  @NotBuilt()
  readonly capabilities?: unknown;

  @NotBuilt()
  readonly mcp?: unknown;
}
