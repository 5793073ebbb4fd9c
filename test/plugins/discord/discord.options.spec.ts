import { describe, expect, it } from '@jest/globals';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { PLUGIN_API_VERSION } from 'throughline/plugin';
import discord from '../../../plugins/discord/index.js';

const faultsOf = (options: object) =>
  validateSync(plainToInstance(discord.options, options), { whitelist: true, forbidNonWhitelisted: true }).map(({ property }) => property);

describe('the Discord plugin', () => {
  it('is loaded by its name', () => {
    expect(discord).toMatchObject({ name: 'discord', apiVersion: PLUGIN_API_VERSION, receives: ['webhook', 'stream'] });
  });

  it('needs a token or a public key', () => {
    expect(faultsOf({ token: 'abc.def.ghi' })).toEqual([]);
    expect(faultsOf({ publicKey: 'aB'.repeat(32) })).toEqual([]);
    expect(faultsOf({})).toEqual(['token']);
  });

  it('accepts an application and a base URL', () => {
    expect(faultsOf({ token: 'x', applicationId: '100000000000000099', apiUrl: 'http://127.0.0.1:9999/api' })).toEqual([]);
  });

  it('refuses a token with its prefix, names where ids are needed, and what it does not know', () => {
    const options = { token: 'Bot abc', publicKey: 'key', applicationId: 'my-app', apiUrl: 'discord', secret: 'x' };
    expect(faultsOf(options).sort()).toEqual(['apiUrl', 'applicationId', 'publicKey', 'secret', 'token']);
  });
});
