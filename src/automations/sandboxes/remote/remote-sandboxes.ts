import { openAsBlob } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { NotFound, ProviderFault } from '../../../plugin/index.js';
import type { AgentServerPlace } from '../../../runtimes/agent-server/agent-servers.js';
import {
  type CommandStatus,
  type OnMade,
  type SandboxCommand,
  type SandboxHealth,
  type SandboxKind,
  type SandboxRef,
  SandboxRefused,
  type SandboxRequest,
} from '../sandbox-kind.js';
import { callApi, PATIENCE, type Patience } from './api-call.js';
import { healthOf, idOf } from './sandbox-info.js';
import { ShellClient } from './shell-client.js';
import {
  environmentFile,
  forgetCommand,
  type Placement,
  placement,
  prepareCommand,
  startCommand,
  startScript,
  stopCommand,
} from './start-script.js';

export interface RemoteOptions {
  /** Of the sandbox API, without a slash at the end. */
  readonly url: string;
  readonly apiKey: string;
  readonly readyMs: number;
  readonly pollMs: number;
  readonly wakePollMs: number;
  readonly timeoutMs: number;
  readonly patience: Patience;
}

export const REMOTE_DEFAULTS = { readyMs: 300_000, pollMs: 5_000, wakePollMs: 2_000, timeoutMs: 60_000, patience: PATIENCE };

/** Sandboxes that somebody else's API makes. */
export class RemoteSandboxes implements SandboxKind {
  constructor(private readonly options: RemoteOptions) {}

  async create(
    { id, remoteId }: SandboxRequest,
    onMade: OnMade,
    signal: AbortSignal,
  ): Promise<{ remoteId: string; place: AgentServerPlace }> {
    const made = remoteId ?? idOf(await this.call('POST', '', signal, { 'idempotency-key': id }));
    if (remoteId === null) await onMade({ remoteId: made, process: null });
    const until = performance.now() + this.options.readyMs;
    for (;;) {
      const health = await this.look(made, signal);
      if (health.state === 'ready') return { remoteId: made, place: health.place };
      if (health.state === 'gone') throw new SandboxRefused(`the sandbox did not start: ${health.reason}`);
      if (health.state === 'paused') await this.call('POST', `/${encodeURIComponent(made)}/resume`, signal);
      if (performance.now() >= until)
        throw new ProviderFault(`the sandbox was not ready within ${this.options.readyMs / 1000} s`, 'transient');
      await delay(this.options.pollMs, undefined, { signal });
    }
  }

  async health({ remoteId }: SandboxRef, signal: AbortSignal): Promise<SandboxHealth> {
    if (remoteId === null) return { state: 'gone', reason: 'it is not known to have been made' };
    return this.look(remoteId, signal);
  }

  async start(_sandbox: SandboxRef, place: AgentServerPlace, command: SandboxCommand, signal: AbortSignal): Promise<string> {
    const shell = new ShellClient(place, this.options.patience);
    const at = placement(runOf(command));
    const environment = environmentFile({ ...command.environment, THROUGHLINE_EVENT: `${at.folder}/event.json` });
    await shell.execute(prepareCommand(at), signal);
    try {
      await putFiles(shell, at, command, environment, signal);
      return `${runOf(command)} ${await shell.start(startCommand(at), command.timeoutMs, signal)}`;
    } catch (error) {
      // It holds keys, and nobody else removes it: the script that would was perhaps never begun.
      await shell.execute(forgetCommand(at), AbortSignal.timeout(this.options.timeoutMs)).catch(() => undefined);
      throw error;
    }
  }

  async status(_sandbox: SandboxRef, place: AgentServerPlace, command: string, signal: AbortSignal): Promise<CommandStatus> {
    try {
      return await new ShellClient(place, this.options.patience).status(idIn(command), signal);
    } catch (error) {
      signal.throwIfAborted();
      return { state: 'unknown', reason: (error as Error).message };
    }
  }

  async stop(_sandbox: SandboxRef, place: AgentServerPlace, command: string, signal: AbortSignal): Promise<void> {
    const shell = new ShellClient(place, this.options.patience);
    // The number of a group that has ended may be somebody else's by now.
    if ((await shell.status(idIn(command), signal)).state === 'running')
      await shell.execute(stopCommand(placement(runIn(command))), signal);
  }

  async pause({ remoteId }: SandboxRef, signal: AbortSignal): Promise<void> {
    if (remoteId !== null) await this.call('POST', `/${encodeURIComponent(remoteId)}/pause`, signal);
  }

  async resume({ remoteId }: SandboxRef, signal: AbortSignal): Promise<AgentServerPlace | null> {
    if (remoteId === null) return null;
    try {
      await this.call('POST', `/${encodeURIComponent(remoteId)}/resume`, signal);
      for (;;) {
        const health = await this.look(remoteId, signal);
        if (health.state === 'ready') return health.place;
        if (health.state === 'gone') return null;
        await delay(this.options.wakePollMs, undefined, { signal });
      }
    } catch (error) {
      if (signal.aborted) return null;
      throw error;
    }
  }

  /** What was never known to have been made cannot be named to the API, which ends it by itself when nobody uses it. */
  async remove({ remoteId }: SandboxRef, signal: AbortSignal): Promise<void> {
    if (remoteId === null) return;
    const id = encodeURIComponent(remoteId);
    await this.call('DELETE', `/${id}?sandbox_id=${id}`, signal).catch((error: unknown) => {
      if (!(error instanceof NotFound)) throw error;
    });
  }

  private async look(id: string, signal: AbortSignal): Promise<SandboxHealth> {
    try {
      return healthOf(await this.call('GET', `?id=${encodeURIComponent(id)}`, signal), id);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof SandboxRefused) throw error;
      return { state: 'unknown', reason: (error as Error).message };
    }
  }

  private call(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    signal: AbortSignal,
    extra: Readonly<Record<string, string>> = {},
  ): Promise<unknown> {
    const { url, apiKey, timeoutMs, patience } = this.options;
    const headers = { accept: 'application/json', authorization: `Bearer ${apiKey}`, ...extra };
    const what = `${method} /api/v1/sandboxes of the sandbox API`;
    return callApi({ method, url: `${url}/api/v1/sandboxes${path}`, what, headers, timeoutMs }, patience, signal);
  }
}

async function putFiles(
  shell: ShellClient,
  at: Placement,
  command: SandboxCommand,
  environment: string,
  signal: AbortSignal,
): Promise<void> {
  const { tarball, event } = command;
  if (tarball !== null && 'file' in tarball) await shell.upload(`${at.folder}/tarball`, await openAsBlob(tarball.file), signal);
  await shell.upload(`${at.folder}/event.json`, new Blob([event]), signal);
  await shell.upload(`${at.folder}/start.sh`, new Blob([startScript(at, command)]), signal);
  // Last: it lies there no longer than it has to.
  await shell.upload(`${at.folder}/environment`, new Blob([environment]), signal);
  await shell.execute(`chmod 600 '${at.folder}/environment'`, signal);
}

function runOf({ environment }: SandboxCommand): string {
  const run = environment['THROUGHLINE_RUN_ID'] ?? '';
  if (!/^[0-9a-f-]{36}$/.test(run)) throw new SandboxRefused('the environment of the entrypoint has no THROUGHLINE_RUN_ID');
  return run;
}

/** A command is known by its run, whose folder it has, and by the id that the agent server gave it. */
function runIn(command: string): string {
  return command.slice(0, command.indexOf(' '));
}

function idIn(command: string): string {
  return command.slice(command.indexOf(' ') + 1);
}
