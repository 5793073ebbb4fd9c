import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { EffectScope } from '../../plugin/index.js';
import { canonicalJson } from '../effects/evidence.js';
import { machine } from '../machine.js';

/**
 * Something that a person is to allow before it is done: a write at a provider, or what an agent asks for while its turn runs.
 *
 *   pending   waits for a person
 *   approved  a person has allowed it, and it is not done yet
 *   executed  it was done, or the agent was told that it may
 *   failed    a person had allowed it, and it was refused all the same, or did not work
 *   denied    a person has said no
 *   expired   nobody decided in time
 *   void      what it was for is no more: its conversation ended, or was reset
 */
export const approval = machine('approval', {
  pending: { approve: 'approved', deny: 'denied', expire: 'expired', void: 'void' },
  approved: { execute: 'executed', fail: 'failed' },
  executed: {},
  failed: {},
  denied: {},
  expired: {},
  void: {},
});

export type ApprovalState = 'pending' | 'approved' | 'executed' | 'failed' | 'denied' | 'expired' | 'void';
export type ApprovalKind = 'write' | 'permission';

/** Why what was approved was refused all the same, where the provider was not even asked. */
export const REFUSALS = ['altered', 'expired', 'ended', 'reset', 'moved', 'unconfigured', 'policy'] as const;
export type Refusal = (typeof REFUSALS)[number];

const ID = /^[A-Za-z0-9_-]{20,64}$/;

/** Nobody guesses one. */
export function newApprovalId(): string {
  return randomBytes(18).toString('base64url');
}

export function isApprovalId(text: string): boolean {
  return ID.test(text);
}

/** What a person allows, exactly. */
export interface Sealed {
  readonly id: string;
  readonly org: string;
  readonly kind: ApprovalKind;
  readonly conversation: string;
  readonly source: string | null;
  readonly provider: string | null;
  readonly tool: string | null;
  /** `scopeText` of what is written to. */
  readonly scope: string | null;
  readonly title: string;
  readonly body: Buffer;
  /** Until when it can be decided and done, in milliseconds by the database's clock. */
  readonly expires_at: number;
}

export function scopeText({ account, kind, action, subject }: EffectScope): string {
  return canonicalJson({ account, kind, action, subject: subject && { namespace: subject.namespace, key: subject.key } });
}

export function bodyHash(body: Buffer): Buffer {
  return createHash('sha256').update(body).digest();
}

/** Of all that a person sees and allows: whoever changes any of it in the store has not the key to make another one. */
export function sealOf(key: Buffer, sealed: Sealed): Buffer {
  const { id, org, kind, conversation, source, provider, tool, scope, title, body, expires_at } = sealed;
  const about = canonicalJson([id, org, kind, conversation, source, provider, tool, scope, title, expires_at]);
  return createHmac('sha256', key).update(`approval:${about}:`).update(body).digest();
}

export function isSealed(key: Buffer, approval: Sealed & { readonly body_hash: Buffer; readonly seal: Buffer }): boolean {
  return bodyHash(approval.body).equals(approval.body_hash) && equal(sealOf(key, approval), approval.seal);
}

function equal(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
