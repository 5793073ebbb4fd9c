import { describe, expect, it } from '@jest/globals';
import { folderWith } from '../config/config-folder.js';
import { call } from './call.js';

describe('the program', () => {
  it('prints its version and its help, and ends with 0', async () => {
    expect(await call('/', ['--version'])).toEqual({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), stderr: '' });
    const help = await call('/', ['--help']);
    expect(help.code).toBe(0);
    for (const command of ['init', 'start', 'migrate', 'doctor', 'send', 'tail', 'token']) expect(help.stdout).toContain(`\n  ${command}`);
  });

  it('ends with 2 and a near name for an unknown command or option', async () => {
    const command = await call('/', ['docter']);
    expect([command.code, command.stderr]).toEqual([2, expect.stringContaining("unknown command 'docter'\n(Did you mean doctor?)")]);
    const option = await call('/', ['doctor', '--jsn']);
    expect([option.code, option.stderr]).toEqual([2, expect.stringContaining("unknown option '--jsn'\n(Did you mean --json?)")]);
    const nested = await call('/', ['migrate', 'stauts']);
    expect([nested.code, nested.stderr]).toEqual([2, expect.stringContaining('(Did you mean status?)')]);
  });

  it('ends with 2 and its help when it is called without a command', async () => {
    const called = await call('/', []);
    expect([called.code, called.stdout, called.stderr]).toEqual([2, '', expect.stringContaining('Usage: throughline')]);
  });

  it.each([['plugin new', ['plugin', 'new', 'acme', '--dir', '.']]])('refuses `%s`, which is not built yet, with 2', async (name, args) => {
    expect(await call('/', args)).toEqual({ code: 2, stdout: '', stderr: `throughline: \`${name}\` is not built yet in this version\n` });
  });

  it('ends with 2 for a faulty configuration, and names the file and each key', async () => {
    const cwd = folderWith({ 'throughline.config.yaml': 'server: { prt: 1 }\nworkspaces: { a: { runtime: gone } }\n' });
    for (const args of [['migrate', 'up'], ['token', 'list'], ['tail'], ['send', 'default/x', '--payload', 'throughline.config.yaml']]) {
      const { code, stderr } = await call(cwd, args);
      expect([args, code]).toEqual([args, 2]);
      expect(stderr).toContain(`${cwd}/throughline.config.yaml: server.prt: unknown key`);
      expect(stderr).toContain('workspaces.a.runtime: there is no runtime `gone`');
      expect(stderr).not.toContain('    at ');
    }
  });

  it('ends with 2 for a configuration file that is not there', async () => {
    const { code, stderr } = await call('/', ['migrate', 'status', '--config', 'missing.yaml']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('/missing.yaml: there is no such file')]);
  });

  it('shows the stack of an error only to those who set DEBUG', async () => {
    const cwd = folderWith({ 'throughline.config.yaml': '' });
    const args = ['send', 'nowhere', '--payload', 'throughline.config.yaml'];
    expect((await call(cwd, args)).stderr).toBe('throughline: `nowhere` is no <org>/<source>; for example default/github\n');
    expect((await call(cwd, args, { env: { DEBUG: '1' } })).stderr).toContain('\n    at ');
  });
});
