import { describe, expect, it } from '@jest/globals';
import { PLUGIN_API_VERSION } from 'throughline/plugin';
import matrix from '../../../plugins/matrix/index.js';
import { keyDeadlineMs } from '../../../plugins/matrix/matrix.options.js';
import { validateOptions } from '../../../src/config/validate-options.js';
import { ADA } from '../../fakes/matrix/homeserver.js';
import { connection, options, SALES, SUPPORT } from './matrix.rooms.js';

const GOOD = { apiUrl: 'https://matrix.example.org', user: ADA, token: 'syt_abc', rooms: { support: { id: SUPPORT } } };

const faultsOf = (change: Record<string, unknown>) =>
  validateOptions(matrix.options, { ...GOOD, ...change }, 'connections.m').faults.map(
    ({ path, message }) => `${path.slice('connections.m.'.length)}: ${message}`,
  );

describe('the Matrix plugin', () => {
  it('is loaded by its name, polls, and names its rooms as places for routes', () => {
    expect(matrix).toMatchObject({ name: 'matrix', apiVersion: PLUGIN_API_VERSION, receives: ['poll'], writes: 'approved' });
    expect(matrix.endpoints?.(connection())).toEqual([
      { name: 'support', subject: { namespace: `matrix:${ADA}:matrix:support:room`, key: SUPPORT }, title: 'Support' },
      { name: 'sales', subject: { namespace: `matrix:${ADA}:matrix:sales:room`, key: SALES }, title: 'sales' },
    ]);
  });

  it('takes a token, or a password with a device', () => {
    expect(faultsOf({})).toEqual([]);
    expect(faultsOf({ token: undefined, password: 'secret word', device: 'SERVER' })).toEqual([]);
    expect(faultsOf({ token: undefined })).toEqual([expect.stringMatching(/^token: .*set `password` and `device`/)]);
    expect(faultsOf({ token: undefined, password: 'secret word' })).toEqual([expect.stringMatching(/^device: .*needed/)]);
  });

  it('takes bridges, titles, encryption with a store, and a deadline', () => {
    const bridge = { bot: '@whatsappbot:example.org', protocol: 'whatsapp' };
    const store = { folder: './data/matrix', key: Buffer.alloc(32, 1).toString('base64') };
    const rooms = { support: { id: SUPPORT, title: 'Support', bridge, activePortal: true } };
    expect(faultsOf({ rooms, encryption: true, store, keyDeadline: '2h', bot: true })).toEqual([]);
    expect(keyDeadlineMs(options({ keyDeadline: '2h' }))).toBe(7_200_000);
  });

  it('says where each fault is, those within rooms too, and shows no secret', () => {
    expect(faultsOf({ rooms: { support: { id: '#support:example.org', colour: 'red' } } }).sort()).toEqual([
      expect.stringMatching(/^rooms\.support\.colour: /),
      expect.stringMatching(/^rooms\.support\.id: .*an alias \(#…\) can change/),
    ]);
    expect(faultsOf({ rooms: { 'Support Room': { id: SUPPORT } } })).toEqual([expect.stringMatching(/^rooms: /)]);
    expect(faultsOf({ rooms: ['support'] })[0]).toMatch(/^rooms/);
    expect(faultsOf({ encryption: true })).toEqual([expect.stringMatching(/^store: /)]);
    expect(
      faultsOf({ user: 'ada', apiUrl: 'matrix.example.org', keyDeadline: 'soon' })
        .map((fault) => fault.split(':')[0])
        .sort(),
    ).toEqual(['apiUrl', 'keyDeadline', 'user']);
    const store = { folder: 'x', key: 'not a key of 32 bytes' };
    expect(faultsOf({ encryption: true, store }).join()).not.toContain(store.key);
  });
});
