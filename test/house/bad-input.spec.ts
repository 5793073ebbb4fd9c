import { describe, expect, it } from '@jest/globals';
import { titlesOf } from './titles.js';

/** What people, providers and agents do that they should not, and the tests that show what becomes of it: a part of each title. */
const BAD_INPUT: Readonly<Record<string, readonly string[]>> = {
  'a deleted thread': [
    'CTL-2 a deleted thread is replaced for the same conversation',
    'CTL-4 what waits for a person is asked again in the thread that replaces a deleted one',
  ],
  'a locked thread': ['a locked thread is written to again once it is unlocked'],
  'an archived thread': ['and an archived one is opened', 'the end archives the thread without looking it up'],
  'missing permissions': ['what an operator has to mend is a state of the binding', '%s is a state that a person is told of once'],
  'a parent that is gone': ['a parent that does not exist is a state of the thread until it is mended'],
  '1,000 active threads': ['1,000 active threads are as many as there may be'],
  "a stranger's thread with our title": ["never adopts a stranger's thread with the same title"],
  'a forged button': ['refuses a press on a button that is forged, changed, or sent again later'],
  'a replayed button': ['an action is carried out once for a receipt, also when it is replayed'],
  'an approval whose body was changed by one byte': [
    'after a person allowed it somebody changes %s: %s, and nothing is sent',
    'one whose body was altered by one byte in the store',
  ],
  'a person who is not allowed': [
    'is whom the route names, by id, name or role, and then nobody else',
    'at %s nothing is decided by forged, foreign, replayed and late words',
    'decided there once by whoever may',
    'lets nobody in for a name that people choose',
    'names its author by the username, which is one person’s alone',
  ],
  'two clicks': ['of two who decide at once one is first, and the other is told who that was'],
  '50,000 characters in one message': ['fifty thousand characters come in messages of the length that the channel takes'],
  'an agent that writes outside its workspace': [
    'that wants the server to write for it, within its workspace or outside of it, is refused',
    'are written nowhere through a link that an agent put at %s',
    'are not followed to where an agent made their folder lead',
  ],
  'a token of another conversation': ['a token opens its own conversation alone, and nothing is said of others'],
};

describe('bad input of people, providers and agents', () => {
  const titles = titlesOf('test').map(({ title }) => title);

  it.each(Object.entries(BAD_INPUT))('%s has a test', (_, parts) => {
    expect(parts.filter((part) => !titles.some((title) => title.includes(part)))).toEqual([]);
  });
});
