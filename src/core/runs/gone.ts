/** A runtime has nowhere to take a turn to: no agent server knows the conversation any more, and none will by itself. */
export class ConversationGone extends Error {
  override readonly name = 'ConversationGone';
}
