import { describe, expect, it } from '@jest/globals';
import { mayDecide } from '../../../src/core/approvals/may-decide.js';
import type { Author } from '../../../src/plugin/index.js';
import { route } from '../builders.js';

const ADA: Author = { id: 'U1', name: 'ada', isBot: false, roles: ['MEMBER'] };
const EVE: Author = { id: 'U2', name: 'eve', isBot: false, roles: [] };
const BOT: Author = { id: 'U3', name: 'ada', isBot: true };
const US: Author = { id: 'U4', name: 'us', isBot: true, isSelf: true };
const ANYBODY = { allowSelf: true, allowBots: true, allow: [] };

const who = (deciders: Parameters<typeof mayDecide>[0]) =>
  [ADA, EVE, BOT, US].filter((author) => mayDecide(deciders, author)).map(({ id }) => id);

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

  it('CTL-4 is nobody where neither names anybody and there is no route', () => {
    expect(who({ route: null, ofWorkspace: [] })).toEqual([]);
  });
});
