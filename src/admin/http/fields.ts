import { applyDecorators, type Type } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, Length, Max, Min, ValidateBy } from 'class-validator';
import { ApiProperty, ApiPropertyOptional } from '../../http/documented.js';

// What answers are made of: each says its type and its meaning to the OpenAPI document.

export const Text = (description: string) => ApiProperty({ type: String, description });
export const TextOrNull = (description: string) => ApiProperty({ type: String, nullable: true, description });
export const Whole = (description: string) => ApiProperty({ type: 'integer', description });
export const Flag = (description: string) => ApiProperty({ type: Boolean, description });
export const Instant = (description: string) => ApiProperty({ type: String, format: 'date-time', description });
export const InstantOrNull = (description: string) => ApiProperty({ type: String, format: 'date-time', nullable: true, description });
export const Texts = (description: string) => ApiProperty({ type: [String], description });
export const OneOf = (values: readonly string[], description: string) => ApiProperty({ type: String, enum: [...values], description });
export const Part = (type: Type, description: string) => ApiProperty({ type, description });
export const PartOrNull = (type: Type, description: string) => ApiProperty({ type, nullable: true, description });
export const Parts = (type: Type, description: string) => ApiProperty({ type: [type], description });
export const WholeOrNull = (description: string) => ApiProperty({ type: 'integer', nullable: true, description });
export const OneOfOrNull = (values: readonly string[], description: string) =>
  ApiProperty({ type: String, enum: [...values], nullable: true, description });

// What queries and bodies are made of: each checks as well.

/** Text that both databases take as it is. */
export const Storable = () =>
  ValidateBy({
    name: 'storable',
    validator: {
      validate: (value: unknown) => typeof value !== 'string' || (value.isWellFormed() && !value.includes('\0')),
      defaultMessage: () => 'should hold neither NUL nor half a character',
    },
  });

const LONGEST_FILTER = 500;

export const Filter = (description: string) =>
  applyDecorators(ApiPropertyOptional({ type: String, description }), IsOptional(), IsString(), Length(1, LONGEST_FILTER), Storable());

export const FilterOneOf = (values: readonly string[], description: string) =>
  applyDecorators(ApiPropertyOptional({ type: String, enum: [...values], description }), IsOptional(), IsIn([...values]));

/** The last instant that a date can be. */
const LATEST = 8.64e15;

export const Since = (description: string) =>
  applyDecorators(
    ApiPropertyOptional({ type: String, format: 'date-time', description }),
    IsOptional(),
    Transform(({ value }: { value: unknown }) =>
      typeof value !== 'string' ? Number.NaN : /^\d+$/.test(value) ? Number(value) : Date.parse(value),
    ),
    IsInt({ message: 'should be an instant such as 2030-01-31T12:00:00Z' }),
    Min(0),
    Max(LATEST),
  );
