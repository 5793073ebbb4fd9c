import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { configOf, refusalOf } from './config-folder.js';

const PARENT = `
runtimes: { e: { kind: echo } }
workspaces:
  top:
    runtime: e
    instructions: Be brief.
    directory: ./work
    env: [A, B]
    concurrency: 4
    limits: { usdPerTurn: 2 }
    budget: { usdPerDay: 20, timezone: Europe/Berlin }
    tools: [comment, "label*"]
    capabilities: { deny: [delete], approve: [comment], allow: [comment, "label*"] }
    approvers: [ann, ben]
`;

describe('a workspace with a parent', () => {
  const child = async (keys: string) => {
    const { workspaces } = await configOf(`${PARENT}  low: { runtime: e, parent: top${keys} }\n`);
    return workspaces.find(({ name }) => name === 'low');
  };
  const faultsOf = async (keys: string) => {
    const { faults } = await refusalOf(configOf(`${PARENT}  low: { runtime: e, parent: top${keys} }\n`));
    return faults.map(({ path, message }) => `${path}: ${message}`);
  };

  it('WSP-1 has what its parent has', async () => {
    expect(await child(', instructions: Ask first.')).toMatchObject({
      ...{ instructions: 'Be brief.\n\nAsk first.', directory: expect.stringMatching(/work$/), env: ['A', 'B'], concurrency: 4 },
      ...{ usdPerTurn: 2, usdPerConversation: null, usdPerDay: 20, timezone: 'Europe/Berlin' },
      ...{ tools: ['comment', 'label*'], approvers: ['ann', 'ben'] },
      capabilities: { deny: ['delete'], approve: ['comment'], allow: ['comment', 'label*'] },
    });
  });

  it('WSP-1 may take away', async () => {
    const keys = `, directory: ./work/low, isolate: true, env: [A], concurrency: 1, limits: { usdPerTurn: 1, usdPerConversation: 5 },
      tools: [label_add, github.comment, "label*"], capabilities: { deny: [label_remove], approve: ["label*"], allow: [comment] }, approvers: [ann]`;
    expect(await child(keys)).toMatchObject({
      ...{ isolate: true, env: ['A'], concurrency: 1, usdPerTurn: 1, usdPerConversation: 5, approvers: ['ann'] },
      tools: ['label_add', 'github.comment', 'label*'],
      capabilities: { deny: ['delete', 'label_remove'], approve: ['comment', 'label*'], allow: ['comment'] },
    });
  });

  it('WSP-1 is refused with all that it has beyond', async () => {
    const keys = `, directory: ./workshop, env: [A, C], concurrency: 5, limits: { usdPerTurn: 3 }, budget: { usdPerDay: 21 }, loop: off,
      tools: [comments, "com*"], capabilities: { allow: ["*", merge] }, approvers: [cid]`;
    expect(await faultsOf(keys)).toEqual([
      'workspaces.low.loop: cannot be off where its parent stops machines that answer each other',
      expect.stringContaining(`workspaces.low.directory: is not within that of its parent, ${resolve('/')}`),
      'workspaces.low.concurrency: is more than that of its parent, 4',
      'workspaces.low.limits.usdPerTurn: is more than that of its parent, 2',
      'workspaces.low.budget.usdPerDay: is more than that of its parent, 20',
      "workspaces.low.tools: has comments, com*, which its parent's comment, label* does not cover",
      "workspaces.low.capabilities.allow: has *, merge, which its parent's comment, label* does not cover",
      'workspaces.low.approvers: has cid, which its parent does not have',
      'workspaces.low.env: has C, which its parent does not have',
    ]);
    expect(await faultsOf(', repository: ./r')).toEqual(['workspaces.low.repository: is not that of its parent']);
  });

  it('WSP-1 has a parent that there is, and is not its own', async () => {
    const missing = await refusalOf(configOf('runtimes: { e: { kind: echo } }\nworkspaces: { a: { runtime: e, parent: b } }'));
    expect(missing.faults).toEqual([{ path: 'workspaces.a.parent', message: 'there is no workspace `b`; did you mean `a`?' }]);
    const round = 'runtimes: { e: { kind: echo } }\nworkspaces: { a: { runtime: e, parent: b }, b: { runtime: e, parent: a } }';
    expect((await refusalOf(configOf(round))).faults).toEqual([
      { path: 'workspaces.a.parent', message: 'goes round in a circle' },
      { path: 'workspaces.b.parent', message: 'goes round in a circle' },
    ]);
  });

  it('WSP-1 inherits from the parent of its parent, and is measured by it', async () => {
    const chain = `${PARENT}  mid: { runtime: e, parent: top }\n  low: { runtime: e, parent: mid, env: [Z] }\n`;
    expect((await refusalOf(configOf(chain))).faults.map(({ path }) => path)).toEqual(['workspaces.low.env']);
  });
});
