import { type Action, CONTROL_COMMANDS, type ControlAction, type ControlCommand } from 'throughline/plugin';
import { ACTION_ID } from './blocks.js';
import { type Fields, fields, known, list, slackId, timestamp, word } from './json.js';
import { instantOf } from './thread.js';

const COMMANDS: ReadonlySet<string> = new Set(CONTROL_COMMANDS);
const APPROVAL = /^[A-Za-z0-9_-]{1,64}$/;
const LONGEST_WORDS = 1000;

/** `https://acme.slack.com/archives/C0001/p1767225600000100`, as *Copy link* gives it; a reply's link names its thread beside. */
const LINK = /<?https:\/\/[a-z0-9-]+\.slack\.com\/archives\/([A-Z0-9]+)\/p(\d{10})(\d{6})(?:\?thread_ts=(\d+\.\d+)[^\s>]*)?(?:\|[^>]*)?>?/;

export const USAGE = [
  'Slack does not say in which thread a command was given, so name it: right-click its first message, *Copy link*, then for example',
  `\`/agent stop <link>\`. Commands: ${[...CONTROL_COMMANDS, 'approve', 'deny'].join(', ')}; \`approve\` and \`deny\` take the id of the request first.`,
].join(' ');

/** A press on one of our buttons; nothing for other interactions, and for buttons that are not ours. */
export function parseInteraction(body: Fields): Action | undefined {
  const [pressed, more] = list(body.actions);
  const action = pressed && more === undefined && isOurs(pressed) ? readAction(pressed.value) : undefined;
  const [message, container] = [fields(body.message), fields(body.container)];
  const channel = slackId(fields(body.channel)?.id) ?? slackId(container?.channel_id);
  const ts = timestamp(message?.thread_ts) ?? timestamp(container?.thread_ts) ?? timestamp(message?.ts);
  const user = fields(body.user);
  const author = slackId(user?.id);
  if (!action || !channel || !ts || !author) return undefined;
  const name = word(user?.name) ?? word(user?.username);
  const occurredAt = instantOf(timestamp(pressed?.action_ts));
  return { ...about(action, channel, ts, { id: author, name }, body.response_url), ...known({ occurredAt }) };
}

/** `/agent stop <link>`, or `/stop <link>` where the app has a command of that name; nothing when it names no thread or nothing to do. */
export function parseCommand(body: Fields): Action | undefined {
  const [command, text, author] = [word(body.command), word(body.text) ?? '', slackId(body.user_id)];
  const link = LINK.exec(text);
  if (!command || !author || !link) return undefined;
  const [named, channel = '', seconds, part, thread] = link;
  const words = text.replace(named, ' ').trim().split(/\s+/).filter(Boolean);
  const own = command.slice(1).toLowerCase();
  const action = actionOf(isCommandName(own) ? [own, ...words] : words);
  const person = { id: author, name: word(body.user_name) };
  return action && about(action, channel, thread ?? `${seconds}.${part}`, person, body.response_url);
}

function about(
  action: ControlAction,
  channel: string,
  ts: string,
  { id, name }: { readonly id: string; readonly name: string | undefined },
  responseUrl: unknown,
): Action {
  const url = typeof responseUrl === 'string' && responseUrl.length <= LONGEST_WORDS ? responseUrl : undefined;
  return {
    kind: 'action',
    // Which conversation it is about the thread alone says.
    subject: null,
    thread: `${channel}/${ts}`,
    author: { id, name: name ?? id, handle: null, isBot: false },
    action,
    reply: { channel, user: id, thread_ts: ts, ...known({ url }) } as Readonly<Record<string, string>>,
  };
}

function isOurs({ action_id: id }: Fields): boolean {
  return typeof id === 'string' && ACTION_ID.test(id);
}

/** What a button of ours carries. It went through Slack, which gives it back to the app that posted it alone. */
function readAction(value: unknown): ControlAction | undefined {
  const read = readJson(value);
  const { type, name, argument, approval, decision, reason } = read ?? {};
  if (type === 'command' && isCommandName(name)) return { type, name, ...known({ argument: word(argument) }) };
  if (type !== 'decision' || !isApproval(approval) || (decision !== 'approve' && decision !== 'deny')) return undefined;
  return { type, approval, decision, ...known({ reason: word(reason) }) };
}

function actionOf([name = '', ...words]: readonly string[]): ControlAction | undefined {
  const wanted = name.toLowerCase();
  if (isCommandName(wanted)) return { type: 'command', name: wanted, ...known({ argument: shortened(words) }) };
  const [approval, ...reason] = words;
  if ((wanted !== 'approve' && wanted !== 'deny') || !isApproval(approval)) return undefined;
  return { type: 'decision', approval, decision: wanted, ...known({ reason: shortened(reason) }) };
}

function shortened(words: readonly string[]): string | undefined {
  return word(words.join(' ').slice(0, LONGEST_WORDS));
}

function isCommandName(name: unknown): name is ControlCommand {
  return typeof name === 'string' && COMMANDS.has(name);
}

function isApproval(id: unknown): id is string {
  return typeof id === 'string' && APPROVAL.test(id);
}

function readJson(value: unknown): Fields | undefined {
  try {
    return typeof value === 'string' && value.length <= 2000 ? fields(JSON.parse(value)) : undefined;
  } catch {
    return undefined;
  }
}
