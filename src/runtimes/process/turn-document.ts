import type { TurnInput } from '../../plugin/index.js';

/** The document on an agent's stdin. Fields are listed one by one: agents are written against exactly these. */
export function turnDocument({ conversation, turn, session, workspace, mcp }: TurnInput): string {
  const document = {
    version: 1,
    conversation: {
      id: conversation.id,
      org: conversation.org,
      title: conversation.title,
      subject: { namespace: conversation.subject.namespace, key: conversation.subject.key },
    },
    turn: {
      id: turn.id,
      attempt: turn.attempt,
      resumed: turn.resumed,
      trust: turn.trust,
      messages: turn.messages.map((message) => ({
        delivery: message.delivery,
        sequence: message.sequence,
        source: message.source,
        event: message.event,
        author: message.author,
        text: message.text,
        attachments: message.attachments,
        received_at: message.received_at,
        sent_at: message.sent_at,
      })),
    },
    session,
    workspace,
    mcp: mcp === null ? null : { url: mcp.url, token: mcp.token },
  };
  return `${JSON.stringify(document)}\n`;
}
