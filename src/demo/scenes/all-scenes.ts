import type { Ending, Scene, Step } from '../script.js';
import { oneIssue, outOfOrder, tenAtOnce, twoAtATime, withoutConversation } from './github.js';
import { oneLife } from './linear.js';
import { oneThread, refusals } from './slack.js';

/** The whole script, in order. */
export const scenes: readonly Scene[] = [oneIssue, twoAtATime, refusals, oneThread, outOfOrder, oneLife, withoutConversation, tenAtOnce];

export const steps: readonly Step[] = scenes.flatMap((scene) => scene.steps);

/** All conversations that there are at the end. */
export const endings: readonly Ending[] = [
  { thread: 'issue', state: 'open', prompts: 6, lifecycles: 1 },
  { thread: 'pull request', state: 'open', prompts: 2, lifecycles: 0 },
  { thread: 'slack thread', state: 'open', prompts: 2, lifecycles: 0 },
  { thread: 'linear issue', state: 'terminal', prompts: 2, lifecycles: 1 },
  { thread: 'push', state: 'open', prompts: 1, lifecycles: 0 },
  { thread: 'busy issue', state: 'open', prompts: 10, lifecycles: 0 },
];
