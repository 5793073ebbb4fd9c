import { describe, expect, it } from '@jest/globals';
import { type Deciders, mayCommand, mayDecide } from '../../../src/core/approvals/may-decide.js';
import type { Author } from '../../../src/plugin/index.js';
import { route } from '../builders.js';

const ADA: Author = { id: 'U1', name: 'ada', isBot: false, roles: ['MEMBER'] };
const EVE: Author = { id: 'U2', name: 'eve', isBot: false, roles: [] };
const BOT: Author = { id: 'U3', name: 'ada', isBot: true };
const US: Author = { id: 'U4', name: 'us', isBot: true, isSelf: true };
const ANYBODY = { allowSelf: true, allowBots: true, allow: [] };

type Told = Omit<Deciders, 'insiders'> & Partial<Deciders>;
const people = (may: typeof mayDecide, told: Told) =>
  [ADA, EVE, BOT, US].filter((author) => may({ insiders: null, ...told }, author)).map(({ id }) => id);
const who = (told: Told) => people(mayDecide, told);

describe('who decides about approvals in threads', () => {
  it('CTL-4 is whom the route names, by id, name or role, and then nobody else', () => {
    const ofWorkspace = ['eve'];
    expect(who({ route: route({ approvers: ['U1'] }), ofWorkspace })).toEqual(['U1']);
    expect(who({ route: route({ approvers: ['role:MEMBER'] }), ofWorkspace })).toEqual(['U1']);
    expect(who({ route: route({ approvers: ['nobody'] }), ofWorkspace })).toEqual([]);
  });

  it('CTL-4 is whom the workspace names where the route names none, also of a conversation without a route', () => {
    expect(who({ route: route(), ofWorkspace: ['U2'] })).toEqual(['U2']);
    expect(who({ route: null, ofWorkspace: ['U2'] })).toEqual(['U2']);
  });

  it('CTL-4 is otherwise every person whom the route lets in, and never a machine', () => {
    expect(who({ route: route({ authors: ANYBODY }), ofWorkspace: [] })).toEqual(['U1', 'U2']);
    expect(who({ route: route({ authors: { ...ANYBODY, allow: ['role:MEMBER'] } }), ofWorkspace: [] })).toEqual(['U1']);
  });

  it('CTL-4 is whoever belongs to a channel in which anybody may write, unless the configuration names people', () => {
    const open = { ofWorkspace: [], insiders: ['OWNER', 'MEMBER'] };
    expect(who({ route: route({ authors: ANYBODY }), ...open })).toEqual(['U1']);
    expect(who({ route: route({ authors: { ...ANYBODY, allow: ['U2'] } }), ...open })).toEqual(['U2']);
    expect(who({ route: route({ approvers: ['U2'] }), ...open })).toEqual(['U2']);
  });

  it('CTL-3 who commands belongs to the channel, or is named for something', () => {
    const commands = (told: Told) => people(mayCommand, told);
    expect(commands({ route: null, ofWorkspace: [] })).toEqual(['U1', 'U2', 'U3', 'U4']);
    const open = { ofWorkspace: [], insiders: ['MEMBER'] };
    expect(commands({ route: route({ authors: ANYBODY }), ...open })).toEqual(['U1']);
    expect(commands({ route: route({ approvers: ['U2'] }), ...open })).toEqual(['U1', 'U2']);
    expect(commands({ route: route({ authors: { ...ANYBODY, allow: ['U2'] } }), ...open })).toEqual(['U1', 'U2']);
    expect(commands({ route: null, ...open, ofWorkspace: ['U2'] })).toEqual(['U1', 'U2']);
  });

  it('CTL-4 is nobody where neither names anybody and there is no route', () => {
    expect(who({ route: null, ofWorkspace: [] })).toEqual([]);
  });
});
