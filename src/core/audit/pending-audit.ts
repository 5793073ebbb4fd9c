import { AsyncLocalStorage } from 'node:async_hooks';
import type { AuditEntry } from './audits.js';

/** The line that a write of the API leaves in the audit log. Whoever does the write stores both in one transaction. */
export class PendingAudit {
  /** Committed together with the write. */
  isStored = false;

  constructor(private line: AuditEntry) {}

  get entry(): AuditEntry {
    return this.line;
  }

  /** What was made only now has an id only now. */
  nameTarget(target: string): void {
    this.line = { ...this.line, target };
  }
}

const current = new AsyncLocalStorage<PendingAudit>();

export function duringWrite<T>(audit: PendingAudit, work: () => Promise<T>): Promise<T> {
  return current.run(audit, work);
}

/** Null: nobody writes through the API, or the line is stored already. */
export function pendingAudit(): PendingAudit | null {
  const audit = current.getStore();
  return audit === undefined || audit.isStored ? null : audit;
}
