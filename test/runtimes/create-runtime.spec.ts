import { describe, expect, it } from '@jest/globals';
import { ConfigFault } from '../../src/plugin/index.js';
import { builtInKinds, createRuntime } from '../../src/runtimes/create-runtime.js';
import { EchoRuntime } from '../../src/runtimes/echo.runtime.js';

describe('kinds of runtime', () => {
  it('are acp, agent-server, echo, process and what plugins bring', () => {
    const kinds = { ...builtInKinds, mirror: () => new EchoRuntime({ delayMs: 0, fail: null }) };
    expect(createRuntime('mirror', {}, kinds)).toBeInstanceOf(EchoRuntime);
    expect(() => createRuntime('docker', {}, kinds)).toThrow(
      'kind "docker" is not available; the kinds are acp, agent-server, echo, mirror, process',
    );
    expect(() => createRuntime('constructor', {})).toThrow(ConfigFault);
  });

  it.each<[string, object, string]>([
    ['process', {}, 'command is empty'],
    ['process', { command: 'node' }, 'command must be a list of texts'],
    ['process', { command: ['node', 'a\0b'] }, 'command must be a list of texts'],
    ['process', { command: ['node'], preset: 'x' }, 'preset must be claude-code or codex or gemini'],
    ['process', { preset: 'codex' }, 'command is empty'],
    ['process', { command: ['node'], output: 'json' }, 'output must be events or text'],
    ['process', { command: ['node'], timeoutMs: '30m' }, 'timeoutMs must be a number of milliseconds'],
    ['process', { command: ['node'], timeoutMs: Number.NaN }, 'timeoutMs must be'],
    ['process', { command: ['node'], idleTimeoutMs: 0 }, 'idleTimeoutMs must be'],
    ['process', { command: ['node'], env: { A: 1 } }, 'env must map'],
    ['process', { command: ['node'], env: 'A=1' }, 'env must map'],
    ['acp', { command: [] }, 'command is empty'],
    ['acp', { command: ['node'], permissions: 'maybe' }, 'permissions must be ask or allow or deny'],
    ['acp', { command: ['node'], output: 'text' }, 'output is no option'],
    ['echo', { delayMs: -1 }, 'delayMs must be'],
    ['echo', { fail: 3 }, 'fail must be text'],
  ])('refuse wrong options: %s with %j says %s', (kind, options, message) => {
    expect(() => createRuntime(kind, { ...options })).toThrow(message);
  });

  it('WSP-3 refuse to pass on a setting of the server', () => {
    for (const name of ['THROUGHLINE_ADMIN_TOKEN', 'throughline_encryption_key']) {
      expect(() => createRuntime('process', { command: ['node'], passEnv: [name] })).toThrow(`passEnv names ${name}`);
    }
  });
});
