import { expect, it } from '@jest/globals';
import { readStanding } from '../../../src/core/conversations/standings.js';
import type { Landmark, Observation, Prompt } from '../../../src/plugin/index.js';
import { closing, ended, event, lifecycle, opened, prompt, route, subject } from '../builders.js';
import { type Core, delivered, eachCore } from '../core.js';

const at = (name: string): Landmark => ({ namespace: subject('').namespace, name });

const carried = (second: number, change: Partial<Observation> = {}) => opened(second, { transition: false, ...change });

/** The subject says where it stands. */
const stands = (key: string, name: string, observation: Observation) =>
  event(prompt(key, `now at ${name}`, { landmark: at(name), observation }));

/** Something is said of whatever stands there. */
const report = (name: string, change: Partial<Prompt> = {}) =>
  event({ ...prompt('', `${name} is green`), subject: null, landmark: at(name), ...change });

eachCore('events that say only where their subject stands', (open) => {
  const placed = async (core: Core, name: string) => delivered(await core.admit(report(name)));

  it('GIT-1 go to the one open subject that stands there, as long as it does', async () => {
    const core = open(route());
    const { conversation } = delivered(await core.admit(stands('A', 'c1', opened(1))));
    expect(await placed(core, 'c1')).toEqual(expect.objectContaining({ conversation, sequence: 2 }));
    await core.admit(stands('A', 'c2', carried(2)));
    expect((await placed(core, 'c1')).conversation).not.toBe(conversation);
    expect(await placed(core, 'c2')).toMatchObject({ conversation, sequence: 4 });
    const [stored] = await core.rows<{ parsed: string }>('select parsed from receipts order by id desc limit 1');
    expect(JSON.parse(stored?.parsed ?? '')).toMatchObject({ subject: subject('A') });
  });

  it('GIT-1 have no subject where none stands there, or several do', async () => {
    const core = open(route());
    const a = delivered(await core.admit(stands('A', 'c1', opened(1))));
    const b = delivered(await core.admit(stands('B', 'c1', opened(1))));
    const places = [await placed(core, 'c1'), await placed(core, 'c9')].map(({ conversation }) => conversation);
    expect(new Set([...places, a.conversation, b.conversation]).size).toBe(4);
    await core.admit(closing('B', 2));
    expect(await placed(core, 'c1')).toMatchObject({ conversation: a.conversation });
    const elsewhere = await core.admit(report('c1', { landmark: { namespace: 'tracker:other', name: 'c1' } }));
    expect(delivered(elsewhere).conversation).not.toBe(a.conversation);
  });

  it('GIT-1 TRM-8 an end takes the subject from where it stood, and a late event does not put it back', async () => {
    const core = open(route());
    const { conversation } = delivered(await core.admit(stands('A', 'c1', opened(1))));
    await core.admit(event({ ...lifecycle('A', ended(5)), landmark: at('c1') }));
    await core.admit(stands('A', 'c1', carried(3)));
    expect(await core.rows('select landmark from subjects')).toEqual([{ landmark: null }]);
    expect((await placed(core, 'c1')).conversation).not.toBe(conversation);
    await core.admit(stands('A', 'c2', opened(6)));
    expect(await placed(core, 'c2')).toMatchObject({ conversation });
    await core.admit(stands('A', 'c1', carried(3)));
    expect(await placed(core, 'c2')).toMatchObject({ conversation });
  });

  it('GIT-1 ACC-2 one that comes again is answered as it was, wherever the subject stands by then', async () => {
    const core = open(route());
    const first = report('c1');
    const alone = delivered(await core.admit(first));
    await core.admit(stands('A', 'c1', opened(1)));
    expect(await core.admit(first)).toMatchObject({ duplicate: true, deliveries: [{ conversation: alone.conversation }] });
    expect(await core.admit(event(report('x'.repeat(300)).parsed))).toMatchObject({ disposition: 'routed' });
  });

  it('ING-8 are placed in a page of a poller, too', async () => {
    const core = open(route());
    const { conversation } = delivered(await core.admit(stands('A', 'c1', opened(1))));
    const nothing = { before: async () => undefined, after: async () => undefined };
    const [answer] = await core.admissions.admitTogether([report('c1')], nothing);
    expect(answer?.deliveries).toMatchObject([{ conversation }]);
  });

  it('IDN-6 CTL-4 an agent writes on its subject, and on what that goes on as since its provider has moved it', async () => {
    const core = open(route());
    const { conversation } = delivered(await core.admit(stands('A', 'c1', opened(1))));
    const place = async () => (await core.database.transaction((tx) => readStanding(tx, conversation)))?.place;
    expect(await place()).toEqual(subject('A'));
    await core.admit(event({ ...lifecycle('A', ended(10, { reason: 'transferred' })), movedTo: subject('B') }));
    expect(await place()).toEqual(subject('A'));
    await core.admit(event(prompt('B', 'opened there', { observation: opened(2), movedFrom: subject('A') })));
    expect(await place()).toEqual(subject('B'));
    await core.admit(event({ ...lifecycle('B', ended(20, { reason: 'transferred' })), movedTo: subject('C') }));
    await core.admit(event(prompt('C', 'and there', { observation: opened(3), movedFrom: subject('B') })));
    expect(await place()).toEqual(subject('C'));
  });
});
