import { applyDecorators } from '@nestjs/common';
import { IsBoolean, IsIn, IsOptional, IsString, Length, Matches, ValidateBy } from 'class-validator';
import { ApiPropertyOptional } from '../../http/documented.js';
import { Storable } from '../http/fields.js';

const LONGEST_EXPRESSION = 2_000;

const Expression = (description: string) =>
  applyDecorators(
    ApiPropertyOptional({ type: String, nullable: true, description }),
    IsOptional(),
    IsString(),
    Length(1, LONGEST_EXPRESSION),
    Storable(),
  );

const Header = (description: string) =>
  applyDecorators(
    ApiPropertyOptional({ type: String, nullable: true, description }),
    IsOptional(),
    Matches(/^[A-Za-z][A-Za-z0-9-]{0,98}[A-Za-z0-9]$/, { message: 'must be the name of a header' }),
  );

const isTextOrObject = (value: unknown) =>
  typeof value === 'string' || (typeof value === 'object' && value !== null && !Array.isArray(value));

/** How events are proved and read. Every one may be left out, and null gives the default again. */
export class WebhookSettingsBody {
  @applyDecorators(
    ApiPropertyOptional({
      oneOf: [{ type: 'string' }, { type: 'object' }],
      nullable: true,
      description: "A preset's name, see `/v1/webhooks/presets`, or an object of the verifier's parameters. Default: `hmac-sha256-hex`.",
    }),
    IsOptional(),
    ValidateBy({
      name: 'scheme',
      validator: {
        validate: isTextOrObject,
        defaultMessage: () => "must be the name of a preset, or an object of the verifier's parameters",
      },
    }),
  )
  signature_scheme?: string | Record<string, unknown>;

  @Header("The header with the signature, where it is not the scheme's own.")
  signature_header?: string;

  @Header("The header with the sender's id of the delivery, equal over its retries. Default: a digest of the body.")
  event_id_header?: string;

  @Expression('That id in the payload.')
  event_id_expr?: string;

  @Header('The header with the kind of event.')
  event_key_header?: string;

  @Expression('The kind of event in the payload; with a header both are joined by a dot.')
  event_key_expr?: string;

  @applyDecorators(
    ApiPropertyOptional({ type: String, enum: ['json', 'cloudevents'], nullable: true, description: 'What bodies are. Default: `json`.' }),
    IsOptional(),
    IsIn(['json', 'cloudevents']),
  )
  format?: 'json' | 'cloudevents';

  @applyDecorators(
    ApiPropertyOptional({ type: Boolean, nullable: true, description: 'True: no two events have the same body.' }),
    IsOptional(),
    IsBoolean(),
  )
  unique_bodies?: boolean;

  @Expression('What the event is about: an id that never changes.')
  subject_expr?: string;

  @Expression('What the agent is told.')
  text_expr?: string;

  @Expression('Title of the subject.')
  title_expr?: string;

  @Expression('Address for people.')
  url_expr?: string;

  @Expression('Who caused it: an id, or an object `{id, name, bot, roles}`.')
  author_expr?: string;

  @Expression('Identity of the message, where one message may come in several events.')
  message_key_expr?: string;

  @Expression('When it happened.')
  occurred_at_expr?: string;

  @Expression('True for the event with which its subject ends.')
  terminal_expr?: string;

  @Expression('True for the event with which its subject begins, or begins again.')
  open_expr?: string;

  @Expression('Why it ended, in one word.')
  reason_expr?: string;

  @Expression('Orders the states of a subject.')
  revision_expr?: string;
}
