import type { AdminAccess } from '../admin/access/admin-access.js';
import type { ReplicaIdentity } from '../core/replicas/replicas.js';
import type { Database } from '../database/database.js';
import type { ConfiguredHost } from './configured-host.js';

/** What a process is composed of: the configuration, and what was opened for it. */
export interface HostParts extends ConfiguredHost {
  readonly database: Database;
  readonly self: ReplicaIdentity;
  readonly access: AdminAccess;
  readonly encryptionKey: Buffer;
  readonly version: string;
}
