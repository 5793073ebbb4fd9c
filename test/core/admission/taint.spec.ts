import { expect, it } from '@jest/globals';
import { comment, route } from '../builders.js';
import { type Core, delivered, eachCore } from '../core.js';

const PRIVATE = route({ name: 'private', source: 'office', trust: 'trusted' });
const PUBLIC = route({ name: 'public', source: 'tracker' });

eachCore('taint', (open) => {
  const isTainted = async (core: Core, conversation: string) =>
    (await core.rows<{ tainted: number }>('select tainted from conversations where id = ?', conversation))[0]?.tainted === 1;
  const office = (key: string, text: string) => ({ ...comment(key, text), source: 'office' });

  it('WSP-2 a conversation is tainted from the first message of a public source on, until it is reset', async () => {
    const core = open(PRIVATE, PUBLIC);
    const { conversation } = delivered(await core.admit(office('A', 'one of us')));
    expect(await isTainted(core, conversation)).toBe(false);
    await core.admit(comment('A', 'anybody'));
    expect(await isTainted(core, conversation)).toBe(true);
    await core.admit(office('A', 'one of us again'));
    expect(await isTainted(core, conversation)).toBe(true);
    await core.operations.reset('default', conversation, 'ada');
    expect(await isTainted(core, conversation)).toBe(false);
    await core.admit(office('A', 'one of us'));
    expect(await isTainted(core, conversation)).toBe(false);
    await core.admit(comment('A', 'anybody'));
    expect(await isTainted(core, conversation)).toBe(true);
  });

  it('WSP-2 one that a public source made is tainted at once', async () => {
    const core = open(PRIVATE, PUBLIC);
    expect(await isTainted(core, delivered(await core.admit(comment('A', 'anybody'))).conversation)).toBe(true);
  });
});
