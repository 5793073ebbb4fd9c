import { describe, expect, it } from '@jest/globals';
import { createRuntime } from '../../src/runtimes/create-runtime.js';
import { failure, run, turnInput } from './turns.js';

describe('the echo runtime', () => {
  it('answers with the texts of its messages', async () => {
    expect(await run(createRuntime('echo', {}), turnInput('one', 'two'))).toEqual([{ type: 'text', text: 'one\ntwo' }]);
  });

  it('FIF-5 fails as a runtime does when a message holds the text that makes it fail', async () => {
    const runtime = createRuntime('echo', { fail: 'poison' });
    expect((await failure(run(runtime, turnInput('fine', 'some poison here')))).message).toContain('"poison"');
    expect(await run(runtime, turnInput('fine'))).toHaveLength(1);
  });

  it('stops waiting at once when it is told to, with the reason that was given', async () => {
    const control = new AbortController();
    const turn = run(createRuntime('echo', { delayMs: 600_000 }), turnInput('x'), control.signal);
    const reason = new Error('stopped by a person');
    control.abort(reason);
    await expect(turn).rejects.toBe(reason);
    await expect(run(createRuntime('echo', {}), turnInput('x'), control.signal)).rejects.toBe(reason);
  });
});
