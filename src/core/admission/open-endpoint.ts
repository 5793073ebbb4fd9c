import { clock, type Tx } from '../../database/tx.js';
import type { Endpoint } from '../../plugin/index.js';
import { type ConversationScope, identify } from '../conversations/conversation-id.js';
import type { Route } from '../routing/route.js';
import { storable } from '../storable.js';
import type { Aliases } from '../subjects/aliases.js';
import { lockReach } from './read-world.js';
import { writeWorld } from './write-world.js';

const TITLE_LIMIT = 300;

/** Opens the conversation of a place that a route is bound to, before anything was said there. Resolves to its id; null: there was no need. */
export async function openEndpoint(tx: Tx, route: Route, { subject, title }: Endpoint): Promise<string | null> {
  const key = { ...subject, org: route.org };
  const identityBy = (aliases: Aliases) => identify(route.org, aliases.canonical(key), scopeOf(route));
  const reach = { subjects: [key], watched: [], conversations: (aliases: Aliases) => [identityBy(aliases).id] };
  const world = await lockReach(tx, reach, await clock(tx));
  const conversation = identityBy(world.aliases);
  const hasEnded = route.lifecycle === 'follow' && world.lifeOf(key).state === 'terminal';
  if (world.conversations.has(conversation.id) || hasEnded) return null;
  const { name, lifecycle, workspace } = route;
  const about = { title: title === undefined ? null : storable(title, TITLE_LIMIT), url: null };
  world.create({ conversation, about: subject, lifecycle, route: name }, workspace, about);
  await writeWorld(tx, world);
  return conversation.id;
}

function scopeOf({ scope, name, source }: Route): ConversationScope {
  return scope === 'automation' ? { scope, kind: 'route', name, source } : { scope: 'subject' };
}
