import type { EventPattern } from '../routing/route.js';

/** What agents of a route may write: nothing, what a person has allowed, or what their tools can. */
export const OUTBOUND = ['read_only', 'approval_required', 'allowed'] as const;
export type Outbound = (typeof OUTBOUND)[number];

/** What a workspace says about tools. Patterns are held against `<tool>` and `<plugin>.<tool>`. */
export interface ToolRules {
  /** Only these exist for its agents. */
  readonly tools: readonly EventPattern[];
  /** Deny comes before approve, and approve before allow; what none of them names is denied. */
  readonly capabilities: {
    readonly deny: readonly EventPattern[];
    readonly approve: readonly EventPattern[];
    readonly allow: readonly EventPattern[];
  };
}

export type Permit =
  | { readonly is: 'allowed' }
  | { readonly is: 'approval'; readonly why: string }
  | { readonly is: 'refused'; readonly why: string };

export interface Asked {
  readonly plugin: string;
  readonly tool: string;
  readonly outbound: Outbound;
  readonly rules: ToolRules;
  readonly isTainted: boolean;
}

/** Whether a tool may read. Nobody decides about a single read, so one that a person should decide about is refused. */
export function permitRead({ plugin, tool, rules }: Pick<Asked, 'plugin' | 'tool' | 'rules'>): Permit {
  const asked = permit({ plugin, tool, rules, outbound: 'allowed', isTainted: false });
  return asked.is === 'approval' ? { is: 'refused', why: `${asked.why}, which is not possible for a read` } : asked;
}

/** Whether a tool may write now. Every rule can only take away: the strictest one holds. */
export function permit({ plugin, tool, outbound, rules, isTainted }: Asked): Permit {
  const isIn = (patterns: readonly EventPattern[]) => patterns.some(({ matches }) => matches(tool) || matches(`${plugin}.${tool}`));
  const { deny, approve, allow } = rules.capabilities;
  if (!isIn(rules.tools)) return { is: 'refused', why: 'the workspace does not have this tool' };
  if (isIn(deny)) return { is: 'refused', why: 'the workspace denies this tool' };
  if (outbound === 'read_only') return { is: 'refused', why: 'the route is read only: its agents write nothing' };
  if (isIn(approve)) return { is: 'approval', why: 'the workspace has a person decide about this tool' };
  if (!isIn(allow)) return { is: 'refused', why: 'the workspace allows this tool to nobody' };
  if (outbound === 'approval_required') return { is: 'approval', why: 'the route has a person decide about every write' };
  if (isTainted) return { is: 'approval', why: 'the conversation holds what anybody can write' };
  return { is: 'allowed' };
}
