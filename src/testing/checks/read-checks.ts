import assert from 'node:assert/strict';
import { validateOptions } from '../../config/validate-options.js';
import { assertSame } from '../assert-same.js';
import type { Check } from '../check.js';
import type { SampleRead } from '../samples.js';
import type { UnderTest } from '../under-test.js';
import { isJson } from '../valid-parsed.js';

export function readChecks(under: UnderTest, reads: readonly SampleRead[]): Check[] {
  return reads.map((read) => ({
    section: 'reads',
    name: `${read.tool} reads JSON for the agent, and changes nothing that it reads`,
    run: async () => {
      const { reads: tools = [] } = await under.provider();
      const tool = tools.find(({ name }) => name === read.tool);
      assert(tool, `the provider has no tool ${read.tool}`);
      const checked = validateOptions(tool.input, { ...read.input }, read.tool, []);
      assertSame(checked.faults, [], 'the input of the sample must be right');
      await under.onStage(async (connection) => {
        const binding = { connection, conversation: 'c', subject: read.subject };
        const { signal } = new AbortController();
        const [first, second] = [await tool.read(checked.options, binding, signal), await tool.read(checked.options, binding, signal)];
        assert(isJson(first), 'what is read is not what its JSON is');
        assertSame(second, first, 'read again, it is something else');
      });
    },
  }));
}
