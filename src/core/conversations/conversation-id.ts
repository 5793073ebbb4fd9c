import { parse, v5 } from 'uuid';
import { InvalidInput, type Subject } from '../../plugin/index.js';

/** Both are pinned for ever: another value would give every live conversation another id. */
const AUTOMATION_NAMESPACE = parse('d7f3a2b1-5c48-4e9a-9b6d-2f1e8c3a7d40');
const SCOPE_NAMESPACE = parse('6f0c9e52-1b7d-4c3a-8e45-a92d07f4b318');

/** How an id is written, as part of a regular expression. */
export const ID_PATTERN = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const ID = new RegExp(`^${ID_PATTERN}$`);

export function isConversationId(text: string): boolean {
  return ID.test(text);
}

/** What an id is computed from, besides the organisation: nothing else ever enters it. */
export type ConversationScope =
  | { readonly scope: 'subject' }
  /** Of one route, or of one generation of an automation by its id; `source` is the connection where the event arrived. */
  | { readonly scope: 'automation'; readonly kind: 'route' | 'automation'; readonly name: string; readonly source: string }
  | { readonly scope: 'run'; readonly kind: 'route' | 'automation'; readonly name: string; readonly run: string };

export interface ConversationIdentity extends Subject {
  readonly id: string;
  readonly org: string;
  readonly scope: 'subject' | 'automation' | 'run';
  /** Tells conversations of one subject apart: empty for `subject`, else the route or automation and its source. */
  readonly scopeName: string;
}

/** UUIDv5 of netstrings. Throws `InvalidInput` for text that is no well-formed Unicode, of which two could become one. */
export function scopedId(...fields: readonly string[]): string {
  return v5(Buffer.from(fields.map(netstring).join('')), SCOPE_NAMESPACE);
}

/** `{org}/{automation}/{source}/{subject_key}` under the pinned namespace; nothing is trimmed or normalised. */
export function automationConversationId(org: string, automation: string, source: string, key: string): string {
  return v5(Buffer.from([org, automation, source, key].map(wellFormed).join('/')), AUTOMATION_NAMESPACE);
}

/** The stable UUID of a configured route or automation. */
export function configuredId(kind: 'route' | 'automation', org: string, name: string): string {
  return scopedId(kind, org, name);
}

/** The conversation of a subject in a scope. A run's subject is the run itself. */
export function identify(org: string, subject: Subject, of: ConversationScope): ConversationIdentity {
  switch (of.scope) {
    case 'subject':
      return { ...subject, org, id: scopedId('subject', org, subject.namespace, subject.key), scope: 'subject', scopeName: '' };
    case 'automation': {
      const name = of.kind === 'route' ? configuredId('route', org, of.name) : of.name;
      const id = automationConversationId(org, name, of.source, subject.key);
      return { ...subject, org, id, scope: 'automation', scopeName: `${of.kind}:${of.name}/${of.source}` };
    }
    case 'run':
      return {
        org,
        namespace: `run:${of.name}`,
        key: of.run,
        id: scopedId('run', org, of.run),
        scope: 'run',
        scopeName: `${of.kind}:${of.name}`,
      };
  }
}

function netstring(field: string): string {
  return `${Buffer.byteLength(wellFormed(field))}:${field},`;
}

function wellFormed(text: string): string {
  if (text.isWellFormed()) return text;
  throw new InvalidInput('a conversation cannot be identified by text with a lone surrogate', [
    { path: 'subject.key', message: 'must be well-formed Unicode' },
  ]);
}
