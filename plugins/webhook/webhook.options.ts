import { IsBoolean, IsIn, IsOptional, Matches } from 'class-validator';
import { IsExpression, IsHeaderName, IsPart, IsSignature } from './rules.js';

/** An expression over the payload, or the first of some headers that the request has. */
export type Part = string | { readonly header: string | readonly string[] };

/** What a connection of this plugin has beside the host's own keys. Expressions are JMESPath over the payload. */
export class WebhookConnection {
  /** How the sender proves itself: a preset's name, or the verifier's parameters. Default `hmac-sha256-hex`. */
  @IsOptional()
  @IsSignature()
  readonly signature?: string | object;

  /** The header with the signature, where it is not the preset's own. */
  @IsOptional()
  @IsHeaderName()
  readonly signatureHeader?: string;

  /** `json`: the body is the event. `cloudevents`: CloudEvents 1.0 over HTTP, in any of its modes. */
  @IsOptional()
  @IsIn(['json', 'cloudevents'], { message: 'must be json or cloudevents' })
  readonly format?: 'json' | 'cloudevents';

  /** Kind and action, which `on` of routes matches; several parts are joined with dots. */
  @IsOptional()
  @IsPart()
  readonly eventKey?: Part | readonly Part[];

  /** The sender's id of the delivery, equal over its retries; of several parts all must be there. Default: a digest of the body. */
  @IsOptional()
  @IsPart()
  readonly deliveryId?: Part | readonly Part[];

  /** True: no two events have the same body, so that a captured request is a duplicate also under another id. */
  @IsOptional()
  @IsBoolean({ message: 'must be true or false' })
  readonly uniqueBodies?: boolean;

  /** Namespace of its subjects. Default: `webhook:<name of the connection>`. */
  @IsOptional()
  @Matches(/^[\x21-\x7e]{1,200}$/, { message: 'must be 1 to 200 visible ASCII characters' })
  readonly namespace?: string;

  /** What the event is about: an id that never changes. */
  @IsOptional()
  @IsExpression()
  readonly subject?: string;

  /** What the agent is told. Default: the message that the payload obviously carries, else the payload. */
  @IsOptional()
  @IsExpression()
  readonly text?: string;

  @IsOptional()
  @IsExpression()
  readonly title?: string;

  @IsOptional()
  @IsExpression()
  readonly url?: string;

  /** An id, or an object `{id, name, bot, roles}`. */
  @IsOptional()
  @IsExpression()
  readonly author?: string;

  /** Identity of the message, where one message may come in several events. */
  @IsOptional()
  @IsExpression()
  readonly messageKey?: string;

  /** When it happened: ISO-8601, or seconds or milliseconds since 1970. */
  @IsOptional()
  @IsExpression()
  readonly occurredAt?: string;

  /** True for the event with which its subject ends. */
  @IsOptional()
  @IsExpression()
  readonly terminal?: string;

  /** True for the event with which its subject begins, or begins again. */
  @IsOptional()
  @IsExpression()
  readonly open?: string;

  /** Why it ended, in one word. Default `closed`. */
  @IsOptional()
  @IsExpression()
  readonly reason?: string;

  /** Orders the states of a subject. Default: when it happened. */
  @IsOptional()
  @IsExpression()
  readonly revision?: string;
}
