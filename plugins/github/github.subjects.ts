import type {
  AuthenticEvent,
  Author,
  Edit,
  Ignored,
  Lifecycle,
  Parsed,
  Prompt,
  Recorded,
  Subject,
  SubjectParser,
  Withdrawal,
} from 'throughline/plugin';
import { attachmentsOf } from './github.attachments.js';
import { actor, writer } from './github.author.js';
import { rulesFor } from './github.events.js';
import { evidenceOf } from './github.evidence.js';
import { isSigned } from './github.marker.js';
import type { GithubConnection } from './github.options.js';
import { type Place, placeOf, subjectOf } from './github.place.js';
import type { EventRules, Rule } from './github.rule.js';
import { fill, textOf } from './github.sentences.js';
import { at, given, idAt, instantAt, isObject, lineAt, linkAt } from './github.shape.js';
import { carried, ended, opened } from './github.state.js';

type About = Omit<Recorded, 'kind' | 'reason'>;

/** An event as its rules see it. */
interface Scene {
  readonly options: GithubConnection;
  readonly secrets: readonly string[];
  readonly eventKey: string;
  readonly event: string;
  readonly rules: EventRules;
  readonly payload: unknown;
  readonly place: Place;
  /** What the event brings: the comment, the review, the check, or the issue itself. */
  readonly source: unknown;
}

/** Reads GitHub's events by the table in `github.events.ts`. */
export class GithubSubjects implements SubjectParser<GithubConnection> {
  parse({ connection, eventKey, payload }: AuthenticEvent<GithubConnection>): Parsed {
    const { event, rules, rule } = rulesFor(eventKey);
    if (rules === undefined) return recorded('unknown_event');
    const place = placeOf(connection.options.host, rules, payload);
    const { options, secrets } = connection;
    const scene = place && { options, secrets, eventKey, event, rules, payload, place, source: at(payload, rules.source) };
    // An action that is new at GitHub, and an event without a place: the record is enough.
    if (rule === undefined) return recorded('unknown_event', scene);
    if (rule.is === 'recorded') return recorded(rule.reason, scene);
    if (scene === null) return recorded('invalid_shape');
    // Under an account that people share, nothing else tells what the control channel wrote.
    if (isPost(scene)) return { kind: 'ignored', reason: 'own_message', ...doing(scene) };
    return judge(rule, scene);
  }
}

function recorded(reason: string, scene: Scene | null = null): Recorded {
  return { kind: 'recorded', reason, ...(scene === null ? { subject: null } : doing(scene)) };
}

function isPost({ event, place, source, secrets }: Scene): boolean {
  return event === 'issue_comment' && place.subject !== null && isSigned(at(source, 'body'), place.subject.key, secrets);
}

function judge(rule: Exclude<Rule, { is: 'recorded' }>, scene: Scene): Parsed {
  const thread = scene.place.thread;
  switch (rule.is) {
    case 'message':
      return message(rule.says, scene);
    case 'opening':
      return withObservation(message(rule.says, scene), opened(thread));
    case 'reopening':
      return { ...notice(rule.says, '', scene), observation: opened(thread) };
    case 'notice':
      return notice(rule.says, rule.details?.(scene.payload) ?? '', scene);
    case 'report':
      if (rule.state !== undefined && at(scene.payload, rule.state) === 'pending')
        return { kind: 'ignored', reason: 'not_finished', ...doing(scene) };
      // Only its own app completes a check, whoever pushed the commit.
      return notice(rule.says, '', scene, idAt(scene.source, 'app.id'));
    case 'ending':
      return ending(rule.reason, scene);
    case 'edit':
      return edit(rule.says, scene);
    case 'withdrawal':
      return withdrawal(scene);
    case 'ignored':
      return { kind: 'ignored', reason: rule.reason, ...doing(scene) };
  }
}

/** Somebody's own words, known by an id, so that two hooks which bring the same ones make one delivery. */
function message(says: string, scene: Scene): Prompt | Recorded {
  const { source, place, payload, options } = scene;
  const words = wordsOf(says, scene);
  if (words === null) return recorded('invalid_shape');
  const author = writer(options, payload, source);
  const when = instantAt(source, 'submitted_at') ?? instantAt(source, 'created_at');
  return {
    kind: 'prompt',
    ...about(scene, author, linkAt(source, 'html_url') ?? place.url, when),
    ...words,
    ...attachmentsOf(scene.event, payload, source),
    ...given('thread', threadOf(scene)),
    ...given('lead', leadOf(words.text, source)),
    ...given('movedFrom', movedFrom(scene)),
    ...given('evidence', evidenceOf(options.host, scene.eventKey, place, source)),
  };
}

/** A comment or review is said in the thread that its issue or pull request is; what opens one is said outside of it. */
function threadOf({ rules, place }: Scene): string | null {
  return rules.source === 'comment' || rules.source === 'review' ? (place.subject?.key ?? null) : null;
}

/** How much of a text is our sentence about it: who gives a command in a comment begins with it, and we do not. */
function leadOf(text: string, source: unknown): number | null {
  const body = at(source, 'body');
  return typeof body === 'string' && text.endsWith(body) ? text.length - body.length : null;
}

/** Identity and text of a message, as it is when it is written and as it is after each edit. */
function wordsOf(says: string, scene: Scene): { readonly text: string; readonly messageKey: string } | null {
  const { source, place, rules, payload, options } = scene;
  const messageKey = messageKeyOf(scene);
  const body = at(source, 'body');
  const mayBeSilent = rules.source !== 'comment' && (body === null || body === undefined);
  if (messageKey === null || !(typeof body === 'string' || mayBeSilent)) return null;
  const author = writer(options, payload, source);
  const url = linkAt(source, 'html_url') ?? place.url;
  return { text: textOf(sentence(says, scene, author), url, typeof body === 'string' ? body : ''), messageKey };
}

/** Each kind of comment has its own sequence of ids, and one conversation can have several kinds. */
function messageKeyOf({ event, source }: Scene): string | null {
  const id = idAt(source, 'id');
  return id === null ? null : `${event}:${id}`;
}

function edit(says: string, scene: Scene): Edit | Ignored | Recorded {
  if (!textChanged(scene)) return { kind: 'ignored', reason: 'no_text_change', ...doing(scene) };
  const words = wordsOf(says, scene);
  if (words === null) return recorded('invalid_shape');
  return { kind: 'edit', ...doing(scene), ...given('thread', threadOf(scene)), ...words, revision: instantAt(scene.source, 'updated_at') };
}

function withdrawal(scene: Scene): Withdrawal | Recorded {
  const messageKey = messageKeyOf(scene);
  return messageKey === null
    ? recorded('invalid_shape')
    : { kind: 'withdrawal', ...doing(scene), ...given('thread', threadOf(scene)), messageKey };
}

function notice(says: string, details: string, scene: Scene, app: number | null = null): Prompt {
  const facts = doing(scene, app);
  const evidence = evidenceOf(scene.options.host, scene.eventKey, scene.place, scene.source);
  const text = textOf(sentence(says, scene, facts.author ?? null), facts.url ?? null, details);
  return { kind: 'prompt', ...facts, text, ...given('evidence', evidence) };
}

function ending(reason: 'deleted' | 'transferred' | undefined, scene: Scene): Lifecycle {
  return {
    kind: 'lifecycle',
    ...doing(scene),
    observation: ended(scene.place.thread, reason),
    context: {
      ...given('repository', lineAt(scene.payload, 'repository.full_name')),
      ...given('number', idAt(scene.place.thread, 'number')),
    },
    ...given('movedTo', reason === 'transferred' ? movedSubject(scene, 'new') : null),
  };
}

/** An issue or discussion that was transferred opens under a new number. */
function movedFrom(scene: Scene): Subject | null {
  return scene.event === 'issues' || scene.event === 'discussion' ? movedSubject(scene, 'old') : null;
}

/** The other side of a transfer. */
function movedSubject({ options, rules, payload }: Scene, side: 'old' | 'new'): Subject | null {
  const repository = idAt(payload, `changes.${side}_repository.id`);
  const number = idAt(payload, `changes.${side}_${rules.about}.number`);
  return repository === null || number === null ? null : subjectOf(options.host, repository, number);
}

/** What somebody did, as against what somebody wrote: the sender is the author. */
function doing(scene: Scene, app: number | null = null): About {
  const { options, payload, place, source } = scene;
  const when = instantAt(place.thread, 'updated_at') ?? instantAt(source, 'completed_at') ?? instantAt(source, 'updated_at');
  return about(scene, actor(options, payload, place.thread, app), linkAt(source, 'html_url') ?? place.url, when);
}

function about({ place }: Scene, author: Author | null, url: string | null, occurredAt: string | null): About {
  return {
    subject: place.subject,
    title: place.title,
    ...given('url', url),
    ...given('author', author),
    ...given('observation', carried(place.thread)),
    ...given('landmark', place.landmark),
    ...given('occurredAt', occurredAt),
  };
}

function withObservation(parsed: Prompt | Recorded, observation: Prompt['observation'] & object): Parsed {
  return parsed.kind === 'prompt' ? { ...parsed, observation } : parsed;
}

function sentence(says: string, { payload, place }: Scene, author: Author | null): string {
  return fill(says, (path) => {
    if (path === 'who') return author?.name ?? 'Someone';
    return path === 'what' ? place.what : lineAt(payload, path);
  });
}

/** An edit names the fields that it touched, with what stood there before. */
function textChanged({ payload, source }: Scene): boolean {
  return ['title', 'name', 'body'].some((field) => {
    const change = at(payload, `changes.${field}`);
    return isObject(change) && (at(change, 'from') ?? '') !== (at(source, field) ?? '');
  });
}
