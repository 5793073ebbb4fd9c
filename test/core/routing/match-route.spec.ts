import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compileRoute, type RouteSpec } from '../../../src/core/routing/compile-route.js';
import { matchRoute, matchRoutes } from '../../../src/core/routing/match-route.js';
import type { Match, NoMatch, RoutableEvent, Verdict } from '../../../src/core/routing/route.js';
import type { Author, Parsed, Prompt } from '../../../src/plugin/index.js';

const spec: RouteSpec = {
  name: 'triage',
  org: 'default',
  source: 'github',
  workspace: 'main',
  endpoint: null,
  on: ['issue_comment.*'],
  filter: null,
  scope: 'subject',
  subject: null,
  text: null,
  activation: 'on_event',
  replay: false,
  wake: true,
  wakeAfterMs: null,
  authors: { allowSelf: false, allowBots: false, allow: [] },
  trust: 'untrusted',
  coalesce: 20,
  onDead: 'stall',
  lifecycle: 'follow',
  afterClose: 'ignore',
  edits: 'ignore',
  whileBusy: 'steer',
  debounceMs: 2000,
  instructions: null,
  outbound: 'approval_required',
  approvers: [],
};

const prompt: Prompt = {
  kind: 'prompt',
  text: '@ada commented: hello',
  subject: { namespace: 'github:github.com:1', key: '1#12' },
  author: { id: '42', name: 'ada', isBot: false, roles: ['MEMBER'] },
};

const event: RoutableEvent = {
  org: 'default',
  source: 'github',
  eventKey: 'issue_comment.created',
  payload: { action: 'created', issue: { number: 12, id: 7.5, labels: [] } },
  parsed: prompt,
};

const verdict = (change: Partial<RouteSpec>, about: Partial<RoutableEvent> = {}): Verdict =>
  matchRoute(compileRoute({ ...spec, ...change }), { ...event, ...about });
const match = (change: Partial<RouteSpec>, about: Partial<RoutableEvent> = {}): Match => {
  const result = verdict(change, about);
  if (!result.matched) throw new Error(`no match: ${result.reason} ${result.detail}`);
  return result;
};
const refusal = (change: Partial<RouteSpec>, about: Partial<RoutableEvent> = {}): NoMatch => {
  const result = verdict(change, about);
  if (result.matched) throw new Error('matched');
  return result;
};
const by = (author: Author | undefined): Partial<RoutableEvent> => {
  const { author: _ada, ...rest } = prompt;
  return { parsed: author === undefined ? rest : { ...rest, author } };
};

describe('what a route takes', () => {
  it('ACC-4 takes an event of its source whose key one of its patterns matches', () => {
    expect(match({ on: ['push', 'issue_comment.{created,edited}'] })).toMatchObject({
      matched: true,
      subject: prompt.subject,
      noSubject: null,
      text: prompt.text,
    });
  });

  it('ACC-4 says for each reason what was compared with what', () => {
    expect(refusal({ source: 'linear' })).toMatchObject({
      route: 'triage',
      reason: 'source',
      detail: expect.stringContaining('default/linear'),
    });
    expect(refusal({ endpoint: 'support' })).toMatchObject({
      reason: 'endpoint',
      detail: 'the event came from no place, the route looks at support',
    });
    expect(refusal({ on: ['push', 'issues.*'] })).toMatchObject({
      reason: 'event_key',
      detail: 'issue_comment.created matches none of push, issues.*',
    });
    expect(refusal({ filter: "issue.state == 'open'" })).toMatchObject({
      reason: 'filter',
      detail: "the filter issue.state == 'open' gave false",
    });
    expect(refusal({ filter: 'issue.missing' })).toMatchObject({ reason: 'filter', detail: 'the filter issue.missing gave null' });
    expect(refusal({ filter: 'length(issue.labels)' })).toMatchObject({ reason: 'filter', detail: expect.stringContaining('gave 0') });
  });

  it('ACC-4 keeps the reason short and storable, whatever was compared', () => {
    const { detail } = refusal({ on: ['push'] }, { eventKey: `\0\ud800${'😀'.repeat(5_000)}` });
    expect([...detail].length).toBeLessThanOrEqual(400);
    expect(detail).not.toContain('\0');
    expect(detail.endsWith('…')).toBe(true);
  });

  it('ACC-6 ignores ourselves and bots, unless the route allows them', () => {
    const bot = { id: '9', name: 'ci[bot]', isBot: true };
    const self = { ...bot, isSelf: true };
    expect(refusal({}, by(bot))).toMatchObject({ reason: 'author_bot', detail: 'ci[bot] (9) is a bot' });
    expect(refusal({}, by(self)).reason).toBe('author_self');
    expect(refusal({ authors: { allowSelf: false, allowBots: true, allow: [] } }, by(self)).reason).toBe('author_self');
    expect(match({ authors: { allowSelf: false, allowBots: true, allow: [] } }, by(bot)).matched).toBe(true);
    expect(match({ authors: { allowSelf: true, allowBots: false, allow: [] } }, by(self)).matched).toBe(true);
  });

  it('ACC-6 takes authors by id, name or role where the route lists them', () => {
    const allow = (...allowed: string[]): Partial<RouteSpec> => ({ authors: { allowSelf: false, allowBots: false, allow: allowed } });
    for (const entry of ['42', 'ada', 'role:MEMBER']) expect(match(allow('nobody', entry)).matched).toBe(true);
    expect(refusal(allow('Ada', 'MEMBER', 'role:OWNER'))).toMatchObject({
      reason: 'author_not_allowed',
      detail: 'ada (42, role:MEMBER) is not among Ada, MEMBER, role:OWNER',
    });
    expect(refusal(allow('role:OWNER'), by({ id: '1', name: 'role:OWNER', isBot: false })).reason).toBe('author_not_allowed');
  });

  it('ACC-6 CTL-4 lets nobody in for a name that people choose, nor for being called like an id', () => {
    const allow = (entry: string): Partial<RouteSpec> => ({ authors: { allowSelf: false, allowBots: false, allow: [entry] } });
    const eve = { id: '666', name: 'ada', handle: null, isBot: false };
    expect(refusal(allow('ada'), by(eve))).toMatchObject({ reason: 'author_not_allowed', detail: 'ada (666) is not among ada' });
    expect(match(allow('666'), by(eve)).matched).toBe(true);
    expect(match(allow('eve_666'), by({ ...eve, handle: 'eve_666' })).matched).toBe(true);
    expect(refusal(allow('ada'), by({ ...eve, handle: 'eve_666' })).reason).toBe('author_not_allowed');
    for (const named of [{ name: '42' }, { handle: '42' }]) expect(refusal(allow('42'), by({ ...eve, ...named })).matched).toBe(false);
    expect(refusal(allow('42'), by({ id: '666', name: '42', isBot: false })).reason).toBe('author_not_allowed');
  });

  it('ACC-6 takes an event without author, unless the route lists who may', () => {
    expect(match({}, by(undefined)).matched).toBe(true);
    expect(refusal({ authors: { allowSelf: false, allowBots: false, allow: ['ada'] } }, by(undefined)).reason).toBe('author_not_allowed');
  });

  it('ACC-4 gives verdicts in the order of the file, never about another organisation, and about another source only when asked', () => {
    const routes = [
      spec,
      { ...spec, name: 'linear', source: 'linear' },
      { ...spec, name: 'theirs', org: 'acme' },
      { ...spec, name: 'pushes', on: ['push'] },
    ].map(compileRoute);
    const names = (verdicts: readonly Verdict[]): string[] => verdicts.map((each) => (each.matched ? each.route.name : each.route));
    expect(names(matchRoutes(routes, event))).toEqual(['triage', 'pushes']);
    expect(names(matchRoutes(routes, event, 'every'))).toEqual(['triage', 'linear', 'pushes']);
    expect(matchRoutes(routes, event, 'every')[1]).toMatchObject({ matched: false, reason: 'source' });
  });

  it('reports every fault of a route at once, each with its place', () => {
    expect(() => compileRoute({ ...spec, on: ['*', '{'], filter: 'a.', text: 'nope(a)' })).toThrow(
      expect.objectContaining({
        faults: [
          expect.objectContaining({ path: 'on[1]' }),
          expect.objectContaining({ path: 'filter' }),
          expect.objectContaining({ path: 'text' }),
        ],
      }),
    );
  });
});

describe('the subject of a routed event', () => {
  it('IDN-2 is the text of the expression as it stands, in the name of the source', () => {
    const payload = { key: ' Zażółć/ß ', n: 12 };
    expect(match({ subject: 'key' }, { payload }).subject).toEqual({ namespace: 'custom:github', key: ' Zażółć/ß ' });
    expect(match({ subject: 'n' }, { payload }).subject).toEqual({ namespace: 'custom:github', key: '12' });
  });

  it.each<[string, unknown]>([
    ['no_subject', null],
    ['subject_not_scalar', true],
    ['subject_not_scalar', {}],
    ['subject_not_scalar', []],
    ['subject_not_scalar', ['a']],
    ['subject_unsafe_number', 2 ** 53],
    ['subject_blank', ''],
    ['subject_blank', ' \n'],
    ['subject_too_long', 'x'.repeat(501)],
    ['subject_too_long', 'x'.repeat(600)],
    ['subject_malformed', 'a\0b'],
    ['subject_malformed', 'a\ud800'],
  ])('AUT-2 is missing with reason %s when the expression gives %j', (reason, key) => {
    expect(match({ subject: 'key' }, { payload: { key } })).toMatchObject({ subject: null, noSubject: reason });
  });

  it('AUT-2 does not fall back to the parser where the route has an expression', () => {
    expect(match({ subject: 'missing' })).toMatchObject({ subject: null, noSubject: 'no_subject' });
  });

  it('IDN-1 refuses a parsed subject that is no identity with a reason, and never cuts it', () => {
    const parsed = (key: string, namespace = 'n'): Partial<RoutableEvent> => ({ parsed: { ...prompt, subject: { namespace, key } } });
    expect(match({}, parsed('x'.repeat(500))).subject?.key).toHaveLength(500);
    expect(match({}, parsed('😀'.repeat(500))).subject?.key).toHaveLength(1_000);
    expect(match({}, parsed('x'.repeat(501))).noSubject).toBe('subject_too_long');
    expect(match({}, parsed(' ')).noSubject).toBe('subject_blank');
    expect(match({}, parsed('\udc00')).noSubject).toBe('subject_malformed');
    expect(match({}, parsed('a', '')).noSubject).toBe('subject_blank');
    expect(match({}, { parsed: { ...prompt, subject: null } }).noSubject).toBe('no_subject');
  });
});

describe('the text of a routed event', () => {
  it('AUT-4 is what the expression gives, then what the parser found', () => {
    expect(match({ text: "join(' ', ['issue', to_string(issue.number)])" }).text).toBe('issue 12');
    for (const nothing of ['missing', 'issue', "'  '", '`true`']) expect(match({ text: nothing }).text).toBe(prompt.text);
  });

  it('AUT-4 is the fenced payload, sorted, where nobody has a text', () => {
    const parsed: Parsed = { ...prompt, text: '' };
    expect(match({}, { parsed, payload: { b: 1, a: ['x'], c: {} } }).text).toBe(
      'New event issue_comment.created from github:\n\n```json\n{\n  "a": [\n    "x"\n  ],\n  "b": 1,\n  "c": {}\n}\n```',
    );
  });

  it('AUT-4 keeps the fence closed and the size bounded, whatever the payload holds', () => {
    const { text } = match({}, { parsed: { ...prompt, text: ' ' }, payload: { big: `\`\`\`\`${'ż'.repeat(100_000)}` } });
    expect(Buffer.byteLength(text)).toBeLessThan(17 * 1024);
    expect(text).toContain('`````json');
    expect(text).toContain('first 16 KB');
    expect(text).not.toContain('\uFFFD');
  });

  it('ACC-3 has no text for a lifecycle event', () => {
    const parsed: Parsed = {
      kind: 'lifecycle',
      subject: prompt.subject,
      observation: { state: 'terminal', revision: null, transition: true },
    };
    expect(match({}, { parsed }).text).toBe('');
  });

  it('is storable: no lone surrogate and no NUL', () => {
    expect(match({}, { parsed: { ...prompt, text: 'a\0b\ud800' } }).text).toBe('a\uFFFDb\uFFFD');
  });

  it('never throws, whatever the payload', () => {
    const route = compileRoute({ ...spec, on: ['*'], subject: 'a', text: 'b', filter: '`true`' });
    fc.assert(
      fc.property(fc.jsonValue({ depthSize: 'medium' }), fc.string({ unit: 'binary' }), (payload, text) => {
        expect(matchRoute(route, { ...event, payload, parsed: { ...prompt, text } }).matched).toBe(true);
      }),
    );
  });
});
