import { NAME_PATTERN, NAME_RULE } from '../names.js';
import { AutomationSection } from './automation.js';
import { ConnectionSection } from './connection.js';
import { DatabaseSection } from './database.js';
import { Entries, Section } from './nested.js';
import { RetentionSection } from './retention.js';
import { RouteSection } from './route.js';
import { RuntimeSection } from './runtime.js';
import { ServerSection } from './server.js';
import { TextList } from './values.js';
import { WorkersSection } from './workers.js';
import { WorkspaceSection } from './workspace.js';

/** A configuration file. Every key may be left out. */
export class ConfigFile {
  @Section(() => ServerSection, { about: 'Where the HTTP server listens, and how the world reaches it.' })
  readonly server: ServerSection = new ServerSection();

  @Section(() => DatabaseSection, { about: 'Where everything is kept.' })
  readonly database: DatabaseSection = new DatabaseSection();

  @TextList(
    { about: 'Tenants. What names no `org` belongs to `default`.' },
    { filled: true, unique: true, each: { matches: NAME_PATTERN, rule: NAME_RULE } },
  )
  readonly orgs: readonly string[] = ['default'];

  @Section(() => WorkersSection, { about: 'How turns are driven.' })
  readonly workers: WorkersSection = new WorkersSection();

  @Section(() => RetentionSection, { about: 'How long what is done with is kept.' })
  readonly retention: RetentionSection = new RetentionSection();

  @TextList({ about: 'Built-in plugins by name, others by package or by path relative to this file.' }, { unique: true })
  readonly plugins: readonly string[] = ['discord', 'github', 'linear', 'matrix', 'slack', 'webhook'];

  @Entries(() => ConnectionSection, { about: 'Accounts at providers: the sources of events.' })
  readonly connections: ReadonlyMap<string, ConnectionSection> = new Map();

  @Entries(() => RuntimeSection, { about: 'Ways to run turns.' })
  readonly runtimes: ReadonlyMap<string, RuntimeSection> = new Map();

  @Entries(() => WorkspaceSection, { about: 'Where turns work, and on which runtime.' })
  readonly workspaces: ReadonlyMap<string, WorkspaceSection> = new Map();

  @Entries(() => RouteSection, { about: 'Which events become messages for which workspace; tried in the order of the file.' })
  readonly routes: ReadonlyMap<string, RouteSection> = new Map();

  @Entries(() => AutomationSection, { about: 'What starts runs by events, by schedules and by people, and what they do.' })
  readonly automations: ReadonlyMap<string, AutomationSection> = new Map();
}
