import { describe, expect, it } from '@jest/globals';
import { Test } from '@nestjs/testing';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { PLUGIN_API_VERSION } from 'throughline/plugin';
import linear, { LinearProvider } from '../../../plugins/linear/index.js';

const faultsOf = (options: object) =>
  validateSync(plainToInstance(linear.options, options), { whitelist: true, forbidNonWhitelisted: true }).map(({ property }) => property);

describe('the Linear plugin', () => {
  it('is loaded by its name and gives its provider to the host', async () => {
    expect(linear).toMatchObject({ name: 'linear', apiVersion: PLUGIN_API_VERSION });
    const module = await Test.createTestingModule({ imports: [linear.module] }).compile();
    const provider = module.get(linear.provider);
    expect(provider).toBeInstanceOf(LinearProvider);
    expect(provider.transports.map(({ kind }) => kind)).toEqual(['webhook', 'poll']);
  });

  it('needs no options', () => {
    expect(faultsOf({})).toEqual([]);
  });

  const id = '5fc1d0a0-0000-4000-8000-000000000001';

  it('accepts ids and a base URL', () => {
    expect(faultsOf({ apiUrl: 'http://127.0.0.1:9999', proposalStateId: id, appUserId: id, oauthClientId: id })).toEqual([]);
    expect(faultsOf({ organizationId: id, projects: { [id]: 'eng' }, reconcile: false })).toEqual([]);
  });

  it.each([[{}], [{ eng: id }], [{ [id]: 'No Name' }], [[id]], ['eng'], [{ [id]: ['eng'] }]])('refuses the projects %j', (projects) => {
    expect(faultsOf({ projects })).toEqual(['projects']);
  });

  it('refuses names where ids are needed, and what it does not know', () => {
    expect(faultsOf({ apiUrl: 'linear', proposalStateId: 'Agent Proposed', appUserId: 7, team: 'x' }).sort()).toEqual([
      'apiUrl',
      'appUserId',
      'proposalStateId',
      'team',
    ]);
  });
});
