import { describe, expect, it } from '@jest/globals';
import { Type } from 'class-transformer';
import { IsOptional, IsString, IsUrl, Matches, ValidateNested } from 'class-validator';
import { validateOptions } from '../../src/config/validate-options.js';

class Account {
  @IsString()
  readonly id!: string;
}

class Options {
  @IsOptional()
  @IsUrl({ require_tld: false })
  readonly apiUrl: string = 'https://api.example.com';

  @IsOptional()
  @Matches(/^xoxb-/, { message: 'botToken $value is not a bot token' })
  readonly botToken?: string;

  @IsOptional()
  @ValidateNested({ each: true })
  @Type(() => Account)
  readonly accounts?: readonly Account[];
}

class NoOptions {}

describe('the options of a plugin', () => {
  it('become an instance of their class, with its defaults', () => {
    const { options, faults } = validateOptions(Options, { accounts: [{ id: 'a' }] }, 'connections.c');
    expect(faults).toEqual([]);
    expect(options).toBeInstanceOf(Options);
    expect(options.apiUrl).toBe('https://api.example.com');
    expect(options.accounts?.[0]).toBeInstanceOf(Account);
  });

  it('have all their faults at once, with paths and near keys, those of the host among them', () => {
    const raw = { apiurl: 'http://x', apiUrl: 'no url at all', secert: 'x', accounts: [{ id: 1 }, { ids: 'x', id: 'x' }], zzz: 1 };
    expect(validateOptions(Options, raw, 'connections.c').faults).toEqual(
      expect.arrayContaining([
        { path: 'connections.c.apiurl', message: 'unknown key `apiurl`; did you mean `apiUrl`?' },
        { path: 'connections.c.apiUrl', message: 'must be a URL address' },
        { path: 'connections.c.secert', message: 'unknown key `secert`; did you mean `secret`?' },
        { path: 'connections.c.accounts[0].id', message: 'must be a string' },
        { path: 'connections.c.accounts[1].ids', message: 'unknown key `ids`' },
        { path: 'connections.c.zzz', message: 'unknown key `zzz`' },
      ]),
    );
  });

  it('never show the value that was refused', () => {
    const { faults } = validateOptions(Options, { botToken: 'hunter2-secret' }, 'connections.c');
    expect(faults).toEqual([{ path: 'connections.c.botToken', message: '… is not a bot token' }]);
  });

  it('are none at all for a plugin whose class declares none', () => {
    expect(validateOptions(NoOptions, {}, 'connections.c').faults).toEqual([]);
    expect(validateOptions(NoOptions, { plugn: 1 }, 'connections.c').faults).toEqual([
      { path: 'connections.c.plugn', message: 'unknown key `plugn`; did you mean `plugin`?' },
    ]);
  });
});
