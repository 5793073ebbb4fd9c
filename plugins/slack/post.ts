import type { ControlPost } from 'throughline/plugin';
import { contentOf } from './blocks.js';
import type { Fields } from './json.js';
import { POST } from './slack.threads.js';

/** Never a mention, a name that Slack links by itself, or a preview of a link. */
export const QUIET = { parse: 'none', link_names: false, unfurl_links: false, unfurl_media: false };

/** What `chat.postMessage` and `chat.update` are given, with the key by which the message is found again. */
export function messageOf(post: ControlPost, longest: number): Fields {
  return { ...contentOf(post, longest), metadata: { event_type: POST, event_payload: { key: post.key } }, ...QUIET };
}
