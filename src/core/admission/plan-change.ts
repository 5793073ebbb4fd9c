import type { Parsed } from '../../plugin/index.js';
import { asMessage } from '../automations/trigger-route.js';
import { type Listener, triggeredText } from '../automations/triggers.js';
import { authorRefusal } from '../routing/author-policy.js';
import type { Route } from '../routing/route.js';
import { routedSubject } from '../routing/route-subject.js';
import { routedText } from '../routing/route-text.js';
import { storable } from '../storable.js';
import { TEXT_LIMIT } from './event.js';
import type { MessageChange, RoutedChange } from './message-change.js';
import { type AdmissibleEvent, conversationOf, MESSAGE_KEY_LIMIT } from './plan-admission.js';
import { startedConversation } from './planned-start.js';

type Changed = Extract<Parsed, { kind: 'edit' | 'withdrawal' }>;

/**
 * The route that took a message has a say in its changes as well, whatever event keys and filters it has: those were about the message.
 * Null: the event changes no message.
 */
export function planChange(event: AdmissibleEvent, routes: readonly Route[], listeners: readonly Listener[] = []): MessageChange | null {
  const { parsed } = event;
  if (parsed.kind !== 'edit' && parsed.kind !== 'withdrawal') return null;
  const isOwn = ({ org, source }: { readonly org: string; readonly source: string }) => org === event.org && source === event.source;
  const own = routes.filter(isOwn);
  const listening = listeners.filter(isOwn);
  return {
    messageKey: storable(parsed.messageKey, MESSAGE_KEY_LIMIT),
    text: parsed.kind === 'edit' ? storable(parsed.text, TEXT_LIMIT) : null,
    revision: parsed.kind === 'edit' ? parsed.revision : null,
    routes: new Map([
      ...own.map((route) => [route.name, routedChange(event, parsed, route)] as const),
      ...listening.map((listener) => triggeredChange(event, listener)),
    ]),
    conversations: [...own.flatMap((route) => conversationIds(event, route)), ...listening.flatMap((each) => startedIds(event, each))],
  };
}

function routedChange(event: AdmissibleEvent, parsed: Changed, route: Route): RoutedChange {
  const { trust, wake: waking, wakeAfterMs, afterClose } = route;
  const isTold = route.edits === 'deliver' && authorRefusal(route.authors, parsed.author) === null;
  return {
    text: parsed.kind === 'edit' ? storable(routedText(route, event), TEXT_LIMIT) : null,
    delivery: isTold ? { trust, waking, wakeAfterMs } : null,
    afterClose,
  };
}

/** The automation takes what waits as it is told by now; a message that was handed over is what its trigger may take the edit for. */
function triggeredChange(event: AdmissibleEvent, { triggers: [{ route }] }: Listener): readonly [string, RoutedChange] {
  const text = event.parsed.kind === 'edit' ? storable(triggeredText(route, asMessage(event)), TEXT_LIMIT) : null;
  return [route.name, { text, delivery: null, afterClose: 'answer' }];
}

/** Where triggers with an expression of their own have put the message. */
function startedIds(event: AdmissibleEvent, listener: Listener): string[] {
  const routes = listener.triggers.map(({ route }) => route).filter((route) => route.subject !== null);
  return routes.flatMap((route) => {
    const { subject } = routedSubject(route, asMessage(event));
    return subject === null ? [] : [startedConversation(event.org, listener, subject).id];
  });
}

/** Only an expression of the route's own names another subject than the plugin does. */
function conversationIds(event: AdmissibleEvent, route: Route): string[] {
  if (route.subject === null) return [];
  const { subject } = routedSubject(route, event);
  return subject === null ? [] : [conversationOf(event, route, subject, Buffer.alloc(0)).conversation.id];
}
