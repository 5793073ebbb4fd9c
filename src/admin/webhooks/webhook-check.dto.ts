import { applyDecorators } from '@nestjs/common';
import { IsObject, IsOptional, IsString, Length } from 'class-validator';
import { ApiProperty, ApiPropertyOptional } from '../../http/documented.js';
import { Flag, Instant, OneOfOrNull, PartOrNull, Parts, Storable, Text, TextOrNull, Texts, Whole, WholeOrNull } from '../http/fields.js';
import { DryRunDto } from '../receipts/dry-run.dto.js';

export class WebhookTestBody {
  @applyDecorators(ApiPropertyOptional({ type: Object, description: 'The payload. Left out: a small one of ours.' }), IsOptional())
  payload?: unknown;

  @applyDecorators(
    ApiPropertyOptional({ type: String, description: 'The kind of event, where the sender says it in `event_key_header`.' }),
    IsOptional(),
    IsString(),
    Length(1, 255),
    Storable(),
  )
  event?: string;

  @applyDecorators(
    ApiPropertyOptional({ type: Object, description: 'Further headers that the sender would send; those that prove it are ours.' }),
    IsOptional(),
    IsObject(),
  )
  headers?: Record<string, string>;
}

export class WebhookTestDto {
  @Flag('Whether the sender would be answered 200.')
  accepted!: boolean;

  @TextOrNull('The code with which it would be refused.')
  code!: string | null;

  @TextOrNull('Why.')
  detail!: string | null;

  @TextOrNull('The id that its delivery would have.')
  delivery_id!: string | null;

  @Parts(DryRunDto, 'What would become of its events; nothing is stored, and nobody is told.')
  events!: DryRunDto[];
}

export class HeaderFormDto {
  @Text('The header.')
  header!: string;

  @Whole('How many lines of it there were; one is right.')
  lines!: number;

  @WholeOrNull('How long its value was.')
  characters!: number | null;

  @OneOfOrNull(['hex', 'base64', 'digits', 'pairs', 'other'], 'How its value was written.')
  format!: string | null;

  @ApiProperty({
    type: Boolean,
    nullable: true,
    description: 'Whether it began as the scheme wants; null: the scheme wants nothing there.',
  })
  has_prefix!: boolean | null;
}

export class TimestampFormDto extends HeaderFormDto {
  @WholeOrNull('How old it was, in seconds; negative: from the future.')
  age_seconds!: number | null;
}

export class RefusedRequestDto {
  @Instant('When it came.')
  at!: string;

  @Text('The code that its sender was told.')
  code!: string;

  @Whole('Length of its body.')
  body_bytes!: number;

  @Texts('Names of its headers.')
  headers!: string[];

  @PartOrNull(HeaderFormDto, 'The header with the signature.')
  signature!: HeaderFormDto;

  @PartOrNull(HeaderFormDto, 'The header with the id that is signed as well; null: none is.')
  id!: HeaderFormDto | null;

  @PartOrNull(TimestampFormDto, 'Where the time of signing stands; null: in the body, or nowhere.')
  timestamp!: TimestampFormDto | null;
}

export class ExpectedSignatureDto {
  @Text('How a sender proves itself.')
  algorithm!: string;

  @Text('The header with the proof.')
  header!: string;

  @TextOrNull('What stands before the proof in it.')
  prefix!: string | null;

  @TextOrNull('How the proof is written; null: it is a secret itself.')
  encoding!: string | null;

  @WholeOrNull('How long the proof is, written so; null: as long as the secret.')
  characters!: number | null;

  @TextOrNull('What is signed; null: nothing is.')
  content!: string | null;

  @TextOrNull('The header with the id that is signed as well.')
  id_header!: string | null;

  @TextOrNull('Where the time of signing stands.')
  timestamp!: string | null;

  @WholeOrNull('How far it may be off, in seconds.')
  tolerance_seconds!: number | null;

  @Text('How the secret is written: `utf8`, `hex` or `base64`.')
  secret_encoding!: string;
}

export class SignatureDebugDto {
  @ApiProperty({ type: ExpectedSignatureDto, description: 'What requests have to have.' })
  expected!: ExpectedSignatureDto;

  @Parts(RefusedRequestDto, 'What the latest ones had that this server process has refused, newest first.')
  refused!: RefusedRequestDto[];
}
