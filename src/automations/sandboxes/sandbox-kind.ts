import type { AgentServerPlace } from '../../runtimes/agent-server/agent-servers.js';

/** A sandbox as its kind knows it. */
export interface SandboxRef {
  /** Ours, chosen before it is made: whoever makes it twice makes one. */
  readonly id: string;
  /** The kind's own id; null: it is not known to have been made. */
  readonly remoteId: string | null;
}

export interface SandboxRequest extends SandboxRef {
  readonly org: string;
  readonly run: string;
  readonly conversation: string;
  /** The folder of a local sandbox, absolute. */
  readonly folder: string;
}

/** Told as soon as it is known, before anything waits for it: what a crash would otherwise leave behind without an owner. */
export type OnMade = (made: {
  readonly remoteId: string | null;
  readonly process: { readonly pid: number; readonly startedAt: string } | null;
}) => Promise<void>;

export type SandboxHealth =
  | { readonly state: 'starting' | 'paused' }
  | { readonly state: 'ready'; readonly place: AgentServerPlace }
  /** It is no more; nothing brings it back. */
  | { readonly state: 'gone'; readonly reason: string }
  /** Nobody can say now: asked again later. */
  | { readonly state: 'unknown'; readonly reason: string };

/** What is started in a sandbox: the files of a tarball, `setup.sh` where there is one, and the entrypoint. */
export interface SandboxCommand {
  /** Absolute path of a checked tarball on this machine, or an address that the sandbox fetches itself. */
  readonly tarball: { readonly file: string } | { readonly url: string } | null;
  readonly entrypoint: string;
  readonly environment: Readonly<Record<string, string>>;
  /** What `THROUGHLINE_EVENT` names: written as a file beside the entrypoint. */
  readonly event: string;
  readonly timeoutMs: number;
}

export type CommandStatus =
  | { readonly state: 'running' }
  /** `code` null: it was ended. The texts are the ends of what it printed. */
  | { readonly state: 'exited'; readonly code: number | null; readonly stdout: string; readonly stderr: string }
  | { readonly state: 'gone'; readonly reason: string }
  | { readonly state: 'unknown'; readonly reason: string };

/** A way to have sandboxes. Everything but `create` and `start` may be repeated. */
export interface SandboxKind {
  /** Resolves when its agent server answers. Throws `SandboxRefused` where another try is pointless, anything else where it is not. */
  create(request: SandboxRequest, onMade: OnMade, signal: AbortSignal): Promise<{ remoteId: string | null; place: AgentServerPlace }>;
  health(sandbox: SandboxRef, signal: AbortSignal): Promise<SandboxHealth>;
  /** Resolves to how the command is known. */
  start(sandbox: SandboxRef, place: AgentServerPlace, command: SandboxCommand, signal: AbortSignal): Promise<string>;
  status(sandbox: SandboxRef, place: AgentServerPlace, command: string, signal: AbortSignal): Promise<CommandStatus>;
  stop(sandbox: SandboxRef, place: AgentServerPlace, command: string, signal: AbortSignal): Promise<void>;
  pause(sandbox: SandboxRef, signal: AbortSignal): Promise<void>;
  /** Resolves when it answers again, or to null when it does not within the time that the signal leaves. */
  resume(sandbox: SandboxRef, signal: AbortSignal): Promise<AgentServerPlace | null>;
  remove(sandbox: SandboxRef, signal: AbortSignal): Promise<void>;
}

/** `skipped`: the account may have no more sandboxes now, which is nobody's failure. */
export class SandboxRefused extends Error {
  override readonly name = 'SandboxRefused';

  constructor(
    message: string,
    readonly how: 'failed' | 'skipped' = 'failed',
  ) {
    super(message);
  }
}
