import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { validateOptions } from '../../config/validate-options.js';
import {
  type Connection,
  type Evidence,
  type OutboundBinding,
  type OutboundTool,
  type Parsed,
  type Provider,
  ProviderFault,
  type UnknownEffect,
} from '../../plugin/index.js';
import { assertSame } from '../assert-same.js';
import type { Check } from '../check.js';
import type { SampleWrite, Stage } from '../samples.js';
import type { UnderTest } from '../under-test.js';
import { wakesNobody } from '../wakes-nobody.js';

/** One write of a tool, about to be done. */
interface Scene {
  readonly provider: Provider;
  readonly stage: Stage;
  readonly tool: OutboundTool;
  readonly binding: OutboundBinding;
  readonly input: object;
  readonly key: string;
  execute(): Promise<Evidence>;
  /** What the parser makes of the provider's event about the write; null: it sends none. */
  hear(evidence: Evidence): Parsed | null;
}

export function writeChecks(under: UnderTest, writes: readonly SampleWrite[]): Check[] {
  return writes.flatMap((write) => checksOf(under, write));
}

function checksOf(under: UnderTest, write: SampleWrite): Check[] {
  const check = (name: string, run: (scene: Scene) => Promise<void>): Check => ({
    section: 'writes',
    name: `${write.tool} ${name}`,
    run: async () => {
      const provider = await under.provider();
      await under.onStage((connection, stage) => run(sceneOf(provider, write, connection, stage)));
    },
  });
  return [
    check('says what it writes, the same each time', async ({ tool, input, binding }) => {
      const scope = tool.scope(input, binding);
      assertSame(tool.scope(input, binding), scope, 'asked again, it says something else');
      for (const name of ['account', 'kind', 'action'] as const) assert(scope[name].trim() !== '', `the scope has no ${name}`);
    }),
    check('is proved by the same ids in its answer and in its event', async (scene) => {
      const { tool, input, binding, execute, hear, key } = scene;
      const evidence = await execute();
      const heard = hear(evidence);
      if (heard?.evidence === undefined && wakesNobody(heard)) return;
      assert(heard?.evidence, 'the event about the write has no evidence, and could wake the agent that wrote');
      const { ids, marker, ...about } = heard.evidence;
      const { subject: _, ...scope } = tool.scope(input, binding);
      assertSame(ids, evidence.ids, 'the event about the write has other ids than its answer');
      assertSame(about, scope, 'the event is about something else than the write');
      if (tool.isMarked) assert(marker === undefined || marker === key, `the event shows the marker ${marker} instead of ${key}`);
    }),
    check('tells a refusal from a write that may have been done', async ({ stage, execute }) => {
      if (stage.refuse) {
        stage.refuse();
        await assert.rejects(execute(), (fault) => fault instanceof ProviderFault, 'a refusal is a ProviderFault');
      }
      if (!stage.loseAnswer) return;
      stage.loseAnswer();
      await assert.rejects(
        execute(),
        (fault) => !(fault instanceof ProviderFault),
        'a lost answer is no ProviderFault: it may have been done',
      );
    }),
    check('is found where its answer was lost, and nowhere where it was not done', async (scene) => {
      const { provider, stage, execute, hear } = scene;
      if (!provider.effects) return;
      const { signal } = new AbortController();
      const before = await provider.effects.find(unknownOf(scene), signal);
      assert(before === 'absent' || before === 'unknown', `nothing was written, and it is found as ${JSON.stringify(before)}`);
      if (!stage.loseAnswer) return;
      stage.loseAnswer();
      await execute().catch(() => undefined);
      const found = await provider.effects.find(unknownOf(scene), signal);
      assert(typeof found === 'object', `what was written is ${found}`);
      const shown = hear(found)?.evidence?.ids;
      if (shown !== undefined) assertSame(shown, found.ids, 'the event about the write has other ids than what was found of it');
    }),
  ];
}

function sceneOf(provider: Provider, write: SampleWrite, connection: Connection, stage: Stage): Scene {
  const tool = provider.tools?.find(({ name }) => name === write.tool);
  assert(tool, `the provider has no tool ${write.tool}`);
  const checked = validateOptions(tool.input, { ...write.input }, write.tool, []);
  assertSame(checked.faults, [], 'the input of the sample must be right');
  const [input, key] = [checked.options, randomUUID()];
  const binding = { connection, conversation: 'c', subject: write.subject };
  return {
    ...{ provider, stage, tool, binding, input, key },
    execute: () => tool.execute(input, binding, key),
    hear: ({ ids }) => {
      const event = write.callback({ key, ids }, stage);
      return event && provider.subjects.parse({ connection, ...event });
    },
  };
}

function unknownOf({ tool, input, binding, key, stage }: Scene): UnknownEffect {
  return {
    connection: binding.connection,
    tool: tool.name,
    scope: tool.scope(input, binding),
    marker: tool.isMarked ? key : null,
    attemptedAt: new Date(stage.now?.() ?? Date.now()).toISOString(),
    isInput: (other) => JSON.stringify(other) === JSON.stringify(input),
  };
}
