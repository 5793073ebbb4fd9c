import type { AutomationSpec } from '../core/automations/automation.js';

/** The configuration, checked and resolved: durations in milliseconds, sizes in bytes, secrets as text, paths absolute, defaults filled in. */
export interface Config {
  readonly server: ServerConfig;
  readonly database: DatabaseConfig;
  /** Folder of everything that this server keeps in files; absolute. */
  readonly dataDir: string;
  readonly orgs: readonly string[];
  readonly workers: WorkersConfig;
  readonly retention: RetentionConfig;
  /** Names of built-in plugins, packages, or paths relative to the file. */
  readonly plugins: readonly string[];
  readonly connections: readonly ConnectionConfig[];
  readonly runtimes: readonly RuntimeConfig[];
  readonly workspaces: readonly WorkspaceConfig[];
  /** In the order of the file. */
  readonly routes: readonly RouteConfig[];
  readonly automations: readonly AutomationConfig[];
}

export interface LoadedConfig {
  /** Absolute path; null when there is no file. */
  readonly file: string | null;
  readonly config: Config;
}

export interface ServerConfig {
  readonly host: string;
  readonly port: number;
  /** Without a slash at the end. */
  readonly publicUrl: string | null;
  readonly bodyLimit: number | null;
  /** Of a tarball, in bytes. */
  readonly uploadLimit: number;
  readonly trustedProxies: readonly string[];
  readonly replica: string | null;
  readonly insecureHttp: boolean;
}

export interface DatabaseConfig {
  /** `sqlite:` and an absolute path (or `:memory:`), or a PostgreSQL URL. */
  readonly url: string;
  readonly directUrl: string | null;
  /** Connections at the most; of no meaning to SQLite. */
  readonly pool: number;
}

export interface WorkersConfig {
  /** 0: accept only. */
  readonly concurrency: number;
  readonly perWorkspace: number | null;
  readonly perOrg: number | null;
  readonly maxAttempts: number;
  readonly backoff: { readonly firstMs: number; readonly factor: number; readonly maxMs: number };
  readonly graceMs: number;
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  readonly approvalWaitMs: number;
  readonly approvalExpiresMs: number;
  readonly runs: RunsConfig;
}

export interface RunsConfig {
  /** Runs of a replica that live at one time; 0: it begins none. */
  readonly concurrency: number;
  readonly readyMs: number;
}

export interface RetentionConfig {
  readonly payloadsMs: number;
  readonly receiptsMs: number;
  readonly transcriptsMs: number;
  readonly effectsMs: number;
  readonly auditMs: number;
}

export interface ConnectionConfig {
  readonly name: string;
  readonly org: string;
  readonly plugin: string;
  readonly source: 'private' | 'public';
  /** Newest first. */
  readonly secrets: readonly string[];
  readonly bodyLimit: number | null;
  readonly acceptLateMs: number | null;
  /** Pause between two questions of a poller; null: the plugin's own. */
  readonly intervalMs: number | null;
  /** Null: off. */
  readonly rate: { readonly perSecond: number; readonly burst: number } | null;
  /** The plugin's own options, references resolved, not yet checked: see `validateOptions`. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly insecure: boolean;
}

export type RuntimeConfig =
  | { readonly name: string; readonly builtIn: true; readonly kind: 'echo'; readonly options: EchoOptions }
  | { readonly name: string; readonly builtIn: true; readonly kind: 'process'; readonly options: ProcessOptions }
  | { readonly name: string; readonly builtIn: true; readonly kind: 'acp'; readonly options: AcpOptions }
  | { readonly name: string; readonly builtIn: true; readonly kind: 'agent-server'; readonly options: AgentServerOptions }
  /** A kind that a plugin may bring; its options are not yet checked. */
  | { readonly name: string; readonly builtIn: false; readonly kind: string; readonly options: Readonly<Record<string, unknown>> };

export interface EchoOptions {
  readonly delayMs: number;
  readonly fail: string | null;
}

export interface CommandOptions {
  /** The command and its arguments; at least one. */
  readonly command: readonly string[];
  /** Absolute; null: the folder of the turn's workspace. */
  readonly cwd: string | null;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number | null;
}

export interface ProcessOptions extends CommandOptions {
  readonly preset: 'claude-code' | 'codex' | 'gemini' | null;
  /** Added to those of the preset. */
  readonly args: readonly string[];
  readonly output: 'events' | 'text';
}

export interface AcpOptions extends CommandOptions {
  readonly mode: string | null;
  readonly permissions: 'ask' | 'allow' | 'deny';
  readonly startTimeoutMs: number;
  readonly keepAliveMs: number;
}

export interface AgentServerOptions {
  /** Without a slash at the end. */
  readonly url: string;
  readonly apiKey: string | null;
  /** With its `kind`. */
  readonly agent: Readonly<Record<string, unknown>>;
  readonly workingDir: string | null;
  readonly timeoutMs: number;
  readonly pollMs: number;
}

export interface WorkspaceConfig {
  readonly name: string;
  readonly org: string;
  readonly runtime: string;
  readonly instructions: string | null;
  /** Absolute; null: a folder per conversation in the data folder. */
  readonly directory: string | null;
  readonly isolate: boolean;
  /** Absolute path, or an address; null: none. */
  readonly repository: string | null;
  readonly env: readonly string[];
  readonly concurrency: number | null;
  /** US dollars; null: no limit. */
  readonly usdPerTurn: number | null;
  readonly usdPerConversation: number | null;
  readonly usdPerDay: number | null;
  /** IANA zone whose days `usdPerDay` means. */
  readonly timezone: string;
  /** Null: machines may answer each other for ever. */
  readonly loop: { readonly turns: number; readonly windowMs: number } | null;
  /** Null: its conversations are shown nowhere. */
  readonly control: { readonly connection: string; readonly parent: string } | null;
  /** Patterns over `<tool>` and `<plugin>.<tool>`. */
  readonly tools: readonly string[];
  readonly capabilities: { readonly deny: readonly string[]; readonly approve: readonly string[]; readonly allow: readonly string[] };
  /** Ids, logins or roles; empty: nothing is said here. */
  readonly approvers: readonly string[];
}

export interface RouteConfig {
  readonly name: string;
  readonly org: string;
  readonly connection: string;
  readonly workspace: string;
  readonly instructions: string | null;
  /** The place of its connection whose events alone it takes; null: all. */
  readonly endpoint: string | null;
  readonly on: readonly string[];
  readonly filter: string | null;
  readonly scope: 'subject' | 'automation';
  readonly subject: string | null;
  readonly text: string | null;
  readonly activation: 'on_event' | 'on_demand';
  readonly replay: boolean;
  readonly wake: boolean;
  readonly wakeAfterMs: number | null;
  readonly authors: { readonly allowSelf: boolean; readonly allowBots: boolean; readonly allow: readonly string[] };
  /** Null: as its connection. */
  readonly source: 'private' | 'public' | null;
  readonly coalesce: number;
  readonly onDead: 'stall' | 'skip';
  readonly lifecycle: 'follow' | 'ignore';
  readonly afterClose: 'ignore' | 'answer';
  readonly edits: 'ignore' | 'deliver';
  readonly whileBusy: 'enqueue' | 'collect' | 'steer' | 'interrupt' | 'reject';
  readonly debounceMs: number;
  readonly outbound: 'read_only' | 'approval_required' | 'allowed';
  /** Ids, logins or roles; empty: nothing is said here. */
  readonly approvers: readonly string[];
}

export interface AutomationConfig {
  readonly org: string;
  readonly enabled: boolean;
  /** Its name is its key in the file. */
  readonly spec: AutomationSpec;
}
