import type { DeliveryContent } from '../core/deliveries/deliveries.js';
import { deliveryId } from '../core/deliveries/delivery.js';
import type { Parsed, TurnMessage } from '../plugin/index.js';

/** The messages of a turn, in order. What the workspace and the routes instruct stands before the text it is about. */
export function turnMessages(
  contents: readonly DeliveryContent[],
  instructions: { readonly before: readonly (string | null)[]; readonly ofRoute: (route: string | null) => string | null },
  sentAt: Date,
): TurnMessage[] {
  const said = new Set<string>();
  return contents.map((content, index) => {
    const parsed = JSON.parse(content.parsed) as Parsed;
    const before = [...(index === 0 ? instructions.before : []), instructions.ofRoute(content.route)].filter((text) => isNews(text, said));
    const preface = before.map((text) => `${text}\n\n`).join('');
    return {
      delivery: deliveryId(content.conversation, content.sequence),
      sequence: content.sequence,
      source: content.source,
      event: content.event_key,
      author: parsed.author?.name ?? null,
      text: `${preface}${content.text ?? ownText(parsed)}`,
      preface: preface.length,
      attachments: [],
      received_at: new Date(content.received_at).toISOString(),
      sent_at: sentAt.toISOString(),
    };
  });
}

/** Twenty messages of one route need its instructions once. */
function isNews(text: string | null, said: Set<string>): text is string {
  if (text === null || said.has(text)) return false;
  said.add(text);
  return true;
}

function ownText(parsed: Parsed): string {
  return parsed.kind === 'prompt' ? parsed.text : '';
}
