import { applyDecorators } from '@nestjs/common';
import { IsOptional, IsString, Length } from 'class-validator';
import { ApiProperty, ApiPropertyOptional } from '../../http/documented.js';
import { Instant, OneOf, Storable, Text, TextOrNull, Whole } from '../http/fields.js';
import { OrgQuery } from '../http/page.js';

export class UploadQuery extends OrgQuery {
  @applyDecorators(ApiProperty({ type: String, description: 'What it is called.' }), IsString(), Length(1, 255), Storable())
  name!: string;

  @applyDecorators(
    ApiPropertyOptional({ type: String, description: 'What it is for.' }),
    IsOptional(),
    IsString(),
    Length(1, 2_000),
    Storable(),
  )
  description?: string;
}

export class UploadDto {
  @Text('Its id.')
  id!: string;

  @Text('The organisation.')
  org!: string;

  @Text('What it is called.')
  name!: string;

  @TextOrNull('What it is for.')
  description!: string | null;

  @Text('Who sent it.')
  owner!: string;

  @OneOf(['uploading', 'completed', 'failed'], 'How it stands.')
  state!: string;

  @TextOrNull('What an automation names as its `tarball`; null: it cannot be started.')
  tarball!: string | null;

  @Whole('Its size, in bytes.')
  size!: number;

  @TextOrNull('The SHA-256 of its bytes, in hexadecimal digits.')
  sha256!: string | null;

  @TextOrNull('Why it failed.')
  error!: string | null;

  @Instant('When it was begun.')
  created_at!: string;
}
