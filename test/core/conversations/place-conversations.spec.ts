import { expect, it } from '@jest/globals';
import { placeConversations } from '../../../src/core/conversations/place-conversations.js';
import { comment, route } from '../builders.js';
import { delivered, eachCore } from '../core.js';

eachCore('placing conversations', (open) => {
  it('IDN-4 a change of its own route moves a conversation, another route never does, and the id stays', async () => {
    const core = open(route({ name: 'first', workspace: 'old' }), route({ name: 'other', workspace: 'elsewhere' }));
    const { conversation } = delivered(await core.admit(comment('T-1')));
    const at = () =>
      core.rows(
        'select c.workspace as cold, q.workspace as hot from conversations c join queues q on q.conversation = c.id where c.id = ?',
        conversation,
      );
    const place = (route: string, workspace: string) =>
      core.database.transaction((tx) => placeConversations(tx, { org: 'default', route, workspace }));

    expect(await place('other', 'somewhere')).toBe(0);
    expect(await at()).toEqual([{ cold: 'old', hot: 'old' }]);
    expect(await place('first', 'new')).toBe(1);
    expect(await place('first', 'new')).toBe(0);
    expect(await at()).toEqual([{ cold: 'new', hot: 'new' }]);
    expect(delivered(await core.admit(comment('T-1', 'again')))).toMatchObject({ conversation, sequence: 2 });
  });
});
