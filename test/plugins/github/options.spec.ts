import { describe, expect, it } from '@jest/globals';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { GithubConnection } from '../../../plugins/github/github.options.js';

function faults(options: object): string[] {
  const checked = validateSync(plainToInstance(GithubConnection, options), { whitelist: true, forbidNonWhitelisted: true });
  return checked.map(({ property }) => property);
}

describe('the options of a GitHub connection', () => {
  it('need nothing: the default is github.com', () => {
    expect(faults({})).toEqual([]);
    expect(plainToInstance(GithubConnection, {}).host).toBe('github.com');
  });

  it('take a server of one’s own and the identity of the app', () => {
    const options = { host: 'github.example.com', apiUrl: 'https://github.example.com/api/v3', appId: 29310, botUserId: 49795351 };
    expect(faults(options)).toEqual([]);
    expect(faults({ apiUrl: 'http://127.0.0.1:4010' })).toEqual([]);
  });

  it('take a token, or an App with its key', () => {
    const privateKey = '-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----\n';
    expect(faults({ token: 'ghp_1' })).toEqual([]);
    expect(faults({ app: { id: 29310, privateKey } })).toEqual([]);
    expect(faults({ app: { id: 29310, privateKey, installation: 4711 } })).toEqual([]);
    for (const wrong of [{ id: 29310 }, { id: 'x', privateKey }, { id: 1, privateKey: 'key.pem' }, { id: 1, privateKey, key: 1 }, 'x'])
      expect(faults({ app: wrong })).toEqual(['app']);
    expect(faults({ token: 'two words' })).toEqual(['token']);
  });

  it('REC-5 take the webhook whose failed deliveries are asked for', () => {
    const privateKey = '-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----\n';
    expect(faults({ app: { id: 29310, privateKey, webhook: false } })).toEqual([]);
    for (const owner of ['acme/api', 'acme', 'acme/.github', 'acme_corp/a.b'])
      expect(faults({ token: 'ghp_1', hook: { id: 7, owner } })).toEqual([]);
    for (const wrong of [{ id: 7 }, { owner: 'acme' }, { id: 7, owner: 'acme/..' }, { id: 7, owner: 'a/b/c' }, { id: 7, owner: '/a' }, 7])
      expect(faults({ token: 'ghp_1', hook: wrong })).toEqual(['hook']);
    expect(faults({ hook: { id: 7, owner: 'acme' } })).toEqual(['hook']);
  });

  it.each([
    ['host', { host: 'https://github.com' }],
    ['host', { host: 'GitHub.com' }],
    ['host', { host: '' }],
    ['host', { host: 'github.com:443' }],
    ['apiUrl', { apiUrl: 'ftp://github.com' }],
    ['apiUrl', { apiUrl: 'https://user:password@github.com' }],
    ['appId', { appId: '29310' }],
    ['appId', { appId: 0 }],
    ['botUserId', { botUserId: 'example-agent[bot]' }],
  ])('refuse a wrong %s: %j', (property, options) => {
    expect(faults(options)).toEqual([property]);
  });

  it('say how to mend it', () => {
    const [fault] = validateSync(plainToInstance(GithubConnection, { botUserId: 'example-agent[bot]' }));
    expect(fault?.constraints?.isInt).toBe('botUserId must be the number that the API answers as "id" for the account <app>[bot]');
  });
});
