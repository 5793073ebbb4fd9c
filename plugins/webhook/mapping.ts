import { compileExpression, type Expression, type Headers, type SignatureScheme, schemeFrom } from 'throughline/plugin';
import { CLOUD_EVENT, senders } from './senders.js';
import { scalarText } from './values.js';
import type { Part, WebhookConnection } from './webhook.options.js';

/** The keys of a connection that are one expression. */
const EXPRESSIONS = [
  ...(['subject', 'text', 'title', 'url', 'author', 'messageKey', 'occurredAt'] as const),
  ...(['terminal', 'open', 'reason', 'revision'] as const),
];
type ExpressionKey = (typeof EXPRESSIONS)[number];

/** What an event's kind is called by most senders that say nothing else. */
const USUAL_KEY = 'type || event_type || eventType || event_name || object_kind || event';
const NAMELESS = 'event';

export const UNKNOWN_EVENT = 'unknown';

export interface Located {
  readonly headers: Headers;
  readonly payload: unknown;
}

type ReadPart = (located: Located) => string | null;

/** The options of a connection, compiled, with what its sender's preset says where they say nothing. */
export class Mapping {
  readonly scheme: SignatureScheme;
  readonly isCloudEvents: boolean;
  /** The options, or the preset, say what events are called; so one without a name is not understood. */
  readonly namesEvents: boolean;
  private readonly keyParts: readonly ReadPart[];
  private readonly idParts: readonly ReadPart[] | null;
  private readonly expressions: ReadonlyMap<ExpressionKey, Expression>;

  constructor(options: WebhookConnection) {
    const { signature = 'hmac-sha256-hex', signatureHeader } = options;
    this.isCloudEvents = options.format === 'cloudevents';
    // Unsigned events are the host's decision; whoever is not let in by it finds a scheme that nobody can satisfy without a secret.
    this.scheme = schemeFrom(signature === 'none' ? 'hmac-sha256-hex' : signature, 'signature', signatureHeader);
    const preset = this.isCloudEvents ? CLOUD_EVENT : typeof signature === 'string' ? senders.get(signature) : undefined;
    const given = { ...preset, ...definedOf(options) };
    this.namesEvents = given.eventKey !== undefined;
    this.keyParts = listOf(given.eventKey ?? USUAL_KEY).map(reader);
    this.idParts = given.deliveryId === undefined ? null : listOf(given.deliveryId).map(reader);
    this.expressions = new Map(
      EXPRESSIONS.flatMap((key) => {
        const source = given[key];
        return source === undefined ? [] : [[key, compileExpression(source)] as const];
      }),
    );
  }

  value(key: ExpressionKey, payload: unknown): unknown {
    return this.expressions.get(key)?.evaluate(payload) ?? null;
  }

  text(key: ExpressionKey, payload: unknown): string | null {
    return scalarText(this.value(key, payload));
  }

  /** What is there of its parts. */
  eventKey(located: Located): string {
    const parts = this.keyParts.map((read) => read(located)).filter((part) => part !== null);
    return parts.join('.') || (this.namesEvents ? UNKNOWN_EVENT : NAMELESS);
  }

  /** Undefined: nothing says where it would be. Null: it is not there. */
  deliveryId(located: Located): string | null | undefined {
    const parts = this.idParts?.map((read) => read(located));
    return parts?.includes(null) ? null : parts?.join(' ');
  }
}

const mappings = new WeakMap<WebhookConnection, Mapping>();

/** Compiled once: the options of a connection stay the same object as long as the server runs. */
export function mappingOf(options: WebhookConnection): Mapping {
  const known = mappings.get(options) ?? new Mapping(options);
  mappings.set(options, known);
  return known;
}

function definedOf(options: WebhookConnection): WebhookConnection {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined && value !== null));
}

function listOf(parts: Part | readonly Part[]): readonly Part[] {
  return Array.isArray(parts) ? parts : [parts as Part];
}

function reader(part: Part): ReadPart {
  if (typeof part === 'string') {
    const expression = compileExpression(part);
    return ({ payload }) => scalarText(expression.evaluate(payload));
  }
  const names = [part.header].flat().map((name) => name.toLowerCase());
  return ({ headers }) => names.map((name) => headerOf(headers, name)).find((value) => value !== null) ?? null;
}

/** Two lines of one name are ambiguous, and so are none. */
function headerOf(headers: Headers, name: string): string | null {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}
