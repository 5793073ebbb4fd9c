import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsBoolean, IsOptional, IsString, Length, Matches } from 'class-validator';
import { ApiProperty, ApiPropertyOptional } from '../../http/documented.js';
import { Filter, Flag, Instant, InstantOrNull, Storable, Text, TextOrNull } from '../http/fields.js';
import { PageQuery } from '../http/page.js';
import { WebhookSettingsBody } from './webhook-settings.dto.js';

const NAME = [IsString(), Length(1, 255), Storable()] as const;

const SECRET = [
  ApiPropertyOptional({
    type: String,
    nullable: true,
    description: 'The secret, where the sender has one: 8 to 255 characters; for ed25519 the public key. Left out: one is made.',
  }),
  IsOptional(),
  IsString(),
  Length(8, 255),
  Storable(),
] as const;

export class WebhookBody extends WebhookSettingsBody {
  @applyDecorators(ApiProperty({ type: String, description: 'For people.' }), ...NAME)
  name!: string;

  @applyDecorators(
    ApiProperty({
      type: String,
      description:
        'The last part of its address: up to 50 letters, digits and hyphens. It cannot be changed, and no connection may have it.',
    }),
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.toLowerCase() : value)),
    Matches(/^[a-z0-9]([a-z0-9-]{0,48}[a-z0-9])?$/, { message: 'must be 1 to 50 letters, digits and hyphens, no hyphen at its ends' }),
  )
  source!: string;

  @applyDecorators(...SECRET)
  webhook_secret?: string;

  @applyDecorators(
    ApiPropertyOptional({ type: Boolean, description: 'Whether it takes events. Default: true.' }),
    IsOptional(),
    IsBoolean(),
  )
  enabled?: boolean;
}

export class WebhookChangeBody extends WebhookSettingsBody {
  @applyDecorators(ApiPropertyOptional({ type: String, description: 'For people.' }), IsOptional(), ...NAME)
  name?: string;

  @applyDecorators(ApiPropertyOptional({ type: Boolean, description: 'Whether it takes events.' }), IsOptional(), IsBoolean())
  enabled?: boolean;
}

export class RotateSecretBody {
  @applyDecorators(...SECRET)
  webhook_secret?: string;

  @applyDecorators(
    ApiPropertyOptional({
      type: String,
      description: 'How long the secret before it is good as well, `0s` to `30d`. Default: `24h`. The one before that ends at once.',
    }),
    IsOptional(),
    IsString(),
  )
  overlap?: string;
}

export class WebhookQuery extends PageQuery {
  @Filter('The one of this source.')
  source?: string;
}

export class WebhookDto {
  @Text('Its id.')
  id!: string;

  @Text('The organisation.')
  org!: string;

  @Text('For people.')
  name!: string;

  @Text('The last part of its address, by which routes and automations name it.')
  source!: string;

  @Text('Where its events are sent to.')
  webhook_url!: string;

  @Flag('Whether it takes events. Whoever sends to one that does not is told that there is none.')
  enabled!: boolean;

  @ApiProperty({ oneOf: [{ type: 'string' }, { type: 'object' }], description: 'How its sender proves itself.' })
  signature_scheme!: string | object;

  @Text('The header with the signature.')
  signature_header!: string;

  @TextOrNull('The header with the id of a delivery.')
  event_id_header!: string | null;

  @TextOrNull('The kind of event in the payload.')
  event_key_expr!: string | null;

  @ApiProperty({ type: Object, description: 'Its other settings; what is not there has its default.' })
  settings!: object;

  @InstantOrNull('Until when the secret before the last rotation is good as well; null: it is not.')
  old_secret_until!: string | null;

  @Instant('When it was made.')
  created_at!: string;

  @Instant('When it was changed last.')
  updated_at!: string;
}

export class ToldWebhookDto extends WebhookDto {
  @TextOrNull('Its secret, this once; null where the same Idempotency-Key is sent again, since it is stored nowhere to be read.')
  webhook_secret!: string | null;
}

export class PresetDto {
  @Text('What `signature_scheme` calls it.')
  name!: string;

  @Text('How it proves: a keyed hash, a signature, or a secret in a header.')
  algorithm!: string;

  @Text('The header with the proof.')
  header!: string;

  @TextOrNull('What is signed; null: nothing is.')
  content!: string | null;

  @Flag('Whether requests that are too old, or from the future, are refused.')
  is_timed!: boolean;
}
