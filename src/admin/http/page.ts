import type { Type } from '@nestjs/common';
import { Type as Convert } from 'class-transformer';
import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { ApiProperty, ApiPropertyOptional } from '../../http/documented.js';
import { Filter } from './fields.js';

/** What every address takes. */
export class OrgQuery {
  @Filter(
    'The organisation; the token of the environment alone may choose, others have their own. Default: `default`, else the first of the configuration.',
  )
  org?: string;
}

/** What every list takes. */
export class PageQuery extends OrgQuery {
  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: 200, default: 50, description: 'How many items a page has at most.' })
  @IsOptional()
  @Convert(() => Number)
  @IsInt()
  @Min(1)
  @Max(200)
  limit: number = 50;

  @Filter('`next_cursor` of the page before.')
  cursor?: string;
}

export interface Page<Item> {
  readonly items: Item[];
  readonly next_cursor: string | null;
}

/** The class of a page, for the OpenAPI document. */
export function PageOf<Item>(item: Type<Item>): Type<Page<Item>> {
  class ItemPage {
    @ApiProperty({ type: [item], description: 'The page. It may be shorter than the limit, or empty, and the list go on all the same.' })
    items!: Item[];

    @ApiProperty({ type: String, nullable: true, description: 'Where the list goes on, or null at its end.' })
    next_cursor!: string | null;
  }
  Object.defineProperty(ItemPage, 'name', { value: `${item.name}Page` });
  return ItemPage;
}
