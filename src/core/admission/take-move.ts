import { STRENGTH } from '../conversations/conversation.js';
import type { Verdict } from './decision.js';
import { note } from './note.js';
import type { Admission } from './plan-admission.js';
import type { World } from './world.js';

/**
 * A provider moves a subject with two events, one under each identity, in either order. Where the new one came first its conversations
 * go on there already, and the end of the old one ends nothing: then the verdicts. Null: the event is to be followed as any other.
 */
export function takeMove(world: World, admission: Admission, receipt: number): Verdict[] | null {
  const { move, event, observation } = admission;
  if (move === null) return null;
  const [from, to] = [move.from, move.to].map((subject) => ({ ...subject, org: event.org }));
  if (!from || !to) return null;
  if (event.parsed.kind === 'prompt') {
    bind(world, admission, receipt);
    return null;
  }
  const own = world.aliases.canonical(from);
  const goesOn = world.aliases.canonical(to);
  if (observation === null || own.namespace !== goesOn.namespace || own.key !== goesOn.key) return null;
  world.observe(from, observation);
  return world.conversationsAbout(from).map((conversation) => {
    note(world, admission, conversation, receipt, 'ignored', 'moved');
    return { route: conversation.row.route, conversation: conversation.row.id, sequence: null, disposition: 'recorded', reason: 'moved' };
  });
}

/** The old identity has ended, and its conversations with it: the first news of the new one decides whether they live on. */
export function bindMoved(world: World, admission: Admission, receipt: number): void {
  if (admission.move === null || !bind(world, admission, receipt)) return;
  // Two subjects have two counts of revisions.
  for (const conversation of world.conversationsAbout({ ...admission.move.to, org: admission.event.org }))
    if (conversation.row.state === 'terminal')
      world.live(conversation, { ...conversation.row, revision: null, strength: STRENGTH.carried });
}

function bind(world: World, admission: Admission, receipt: number): boolean {
  const { move, by, event } = admission;
  if (move === null) return false;
  const alias = { ...move.to, org: event.org };
  const to = world.aliases.canonical({ ...move.from, org: event.org });
  const conversations = world.ownConversations(to);
  if (conversations.length === 0 || world.aliases.isAlias(alias) || (alias.namespace === to.namespace && alias.key === to.key))
    return false;
  const isFree = world.ownConversations(alias).every(({ row, queue }) => row.state === 'terminal' || queue.nextSequence === 1);
  if (isFree) world.bind(alias, to, by);
  for (const each of conversations)
    note(world, admission, each, receipt, isFree ? 'alias' : 'alias_refused', `${alias.namespace} ${alias.key}`);
  return isFree;
}
