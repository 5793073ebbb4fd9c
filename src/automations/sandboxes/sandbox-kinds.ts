import type { SandboxRow } from '../../core/sandboxes/sandboxes.js';
import { openSecret, sealSecret } from '../../core/secret-seal.js';
import type { AgentServerPlace } from '../../runtimes/agent-server/agent-servers.js';
import type { SandboxKind, SandboxRef } from './sandbox-kind.js';

/** How the sandboxes of a runtime are had; null: the runtime is not in the configuration, or has none. */
export type KindOf = (sandbox: Pick<SandboxRow, 'org' | 'kind' | 'runtime'>) => SandboxKind | null;

export function refOf({ id, remote_id: remoteId }: Pick<SandboxRow, 'id' | 'remote_id'>): SandboxRef {
  return { id, remoteId };
}

/** As the store keeps it: whoever reads the store has not the key of the agent server. */
export function sealedPlace(key: Buffer, sandbox: string, { url, apiKey }: AgentServerPlace): { url: string; secret: Buffer | null } {
  return { url, secret: apiKey === null ? null : sealSecret(key, aboutOf(sandbox), apiKey) };
}

/** Null: it is not known yet where its agent server is. */
export function placeOf(key: Buffer, { id, url, secret }: Pick<SandboxRow, 'id' | 'url' | 'secret'>): AgentServerPlace | null {
  return url === null ? null : { url, apiKey: secret === null ? null : openSecret(key, aboutOf(id), Buffer.from(secret)) };
}

function aboutOf(sandbox: string): string {
  return `sandbox:${sandbox}`;
}
