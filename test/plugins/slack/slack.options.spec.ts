import { describe, expect, it } from '@jest/globals';
import { Test } from '@nestjs/testing';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { PLUGIN_API_VERSION } from 'throughline/plugin';
import slack, { SlackProvider } from '../../../plugins/slack/index.js';

const faultsOf = (options: object) =>
  validateSync(plainToInstance(slack.options, options), { whitelist: true, forbidNonWhitelisted: true }).map(({ property }) => property);

describe('the Slack plugin', () => {
  it('is loaded by its name and gives its provider to the host', async () => {
    expect(slack).toMatchObject({ name: 'slack', apiVersion: PLUGIN_API_VERSION });
    const module = await Test.createTestingModule({ imports: [slack.module] }).compile();
    const provider = module.get(slack.provider);
    expect(provider).toBeInstanceOf(SlackProvider);
    expect(provider.transports.map(({ kind }) => kind)).toEqual(['webhook', 'stream']);
  });

  it('needs no options', () => {
    expect(faultsOf({})).toEqual([]);
  });

  it('SIG-1 needs a signing secret unless its events come over a socket', () => {
    expect(slack.needsSecret?.({})).toBe(true);
    expect(slack.needsSecret?.({ appToken: 'xapp-1-a' })).toBe(false);
  });

  it('accepts ids, a base URL and tokens', () => {
    const ids = { appId: 'A0123456789', botUserId: 'U0123456789' };
    expect(faultsOf({ apiUrl: 'http://127.0.0.1:9999/api/', ...ids, token: 'xoxb-1-a', appToken: 'xapp-1-A01-a' })).toEqual([]);
  });

  it('refuses names where ids are needed, and what it does not know', () => {
    expect(
      faultsOf({ apiUrl: 'slack', appId: 'my-app', botUserId: '@agent', token: 'xoxp-1', tokens: 'x', appToken: 'xoxb-1' }).sort(),
    ).toEqual(['apiUrl', 'appId', 'appToken', 'botUserId', 'token', 'tokens']);
  });
});
