import { describe, expect, it } from '@jest/globals';
import { type Asked, permit, type ToolRules } from '../../../src/core/approvals/outbound-policy.js';
import { compilePattern } from '../../../src/plugin/expressions/event-pattern.js';

const compiled = (patterns: readonly string[]) => patterns.map(compilePattern);

function rules(change: { tools?: string[]; deny?: string[]; approve?: string[]; allow?: string[] } = {}): ToolRules {
  const { tools = ['*'], deny = [], approve = [], allow = ['*'] } = change;
  return { tools: compiled(tools), capabilities: { deny: compiled(deny), approve: compiled(approve), allow: compiled(allow) } };
}

const asked = (change: Partial<Asked> = {}): Asked => ({
  ...{ plugin: 'github', tool: 'comment', outbound: 'allowed', rules: rules(), isTainted: false },
  ...change,
});

describe('the policy of tools', () => {
  it.each<[string, Partial<Asked>, string]>([
    ['allowed by all', {}, 'allowed'],
    ['on a tainted conversation', { isTainted: true }, 'approval'],
    ['where the route wants approval', { outbound: 'approval_required' }, 'approval'],
    ['where the route is read only', { outbound: 'read_only' }, 'refused'],
    ['not among the tools', { rules: rules({ tools: ['label_*'] }) }, 'refused'],
    ['among the tools by a wildcard', { rules: rules({ tools: ['comm*'] }) }, 'allowed'],
    ['among the tools by its plugin', { rules: rules({ tools: ['github.*'] }) }, 'allowed'],
    ['of another plugin', { rules: rules({ tools: ['linear.*'] }) }, 'refused'],
    ['denied by a wildcard and allowed by name', { rules: rules({ deny: ['*'], allow: ['comment'] }) }, 'refused'],
    ['approved by a wildcard and allowed by name', { rules: rules({ approve: ['com*'], allow: ['comment'] }) }, 'approval'],
    ['denied and to be approved', { rules: rules({ deny: ['comment'], approve: ['comment'] }) }, 'refused'],
    ['named by none of the three', { rules: rules({ allow: ['label'] }) }, 'refused'],
    ['to be approved, on a read only route', { outbound: 'read_only', rules: rules({ approve: ['*'] }) }, 'refused'],
  ])('WSP-1 WSP-2 a tool %s', (_, change, is) => {
    expect(permit(asked(change))).toMatchObject({ is });
  });

  it('WSP-2 taint can only take away', () => {
    const strict = ['allowed', 'approval', 'refused'];
    for (const outbound of ['read_only', 'approval_required', 'allowed'] as const)
      for (const change of [{}, { deny: ['*'] }, { approve: ['*'] }, { tools: [] }]) {
        const of = (isTainted: boolean) => strict.indexOf(permit(asked({ outbound, rules: rules(change), isTainted })).is);
        expect(of(true)).toBeGreaterThanOrEqual(of(false));
      }
  });
});
