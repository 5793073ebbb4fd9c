import { Get, Inject, Param, Post, Query } from '@nestjs/common';
import { audited } from '../../core/audited.js';
import { listTokens } from '../../core/tokens/list-tokens.js';
import { ROLES, readToken, revokeToken, type TokenRow } from '../../core/tokens/tokens.js';
import { Database } from '../../database/database.js';
import { ApiOkResponse, ApiOperation } from '../../http/documented.js';
import { Conflict, NotFound } from '../../plugin/index.js';
import { By, type Caller } from '../access/caller.js';
import { AdminController } from '../http/admin-controller.js';
import { pageOf, sliceOf } from '../http/cursor.js';
import { Instant, InstantOrNull, OneOf, Text } from '../http/fields.js';
import { NumberIdPipe } from '../http/ids.js';
import { instant, instantOrNull } from '../http/instant.js';
import { OrgQuery, type Page, PageOf, PageQuery } from '../http/page.js';
import { Refuses } from '../http/refuses.js';
import { Write } from '../http/write.js';

export class TokenDto {
  @Text('Its id.')
  id!: string;

  @Text('What it is for.')
  name!: string;

  @OneOf(ROLES, 'What it may do.')
  role!: string;

  @Instant('When it was made.')
  created_at!: string;

  @InstantOrNull('Since when it is worth nothing.')
  revoked_at!: string | null;
}

/** Tokens are made by `throughline token create`, since their text must be seen once and stored nowhere. */
@AdminController('v1/tokens', 'tokens', 'admin')
export class TokensController {
  constructor(@Inject(Database) private readonly database: Database) {}

  @Get()
  @ApiOperation({ summary: 'Tokens, newest first; never their texts', description: 'Needs the role admin.' })
  @ApiOkResponse({ type: PageOf(TokenDto) })
  async list(@By() { org }: Caller, @Query() query: PageQuery): Promise<Page<TokenDto>> {
    const slice = sliceOf(query, ['number']);
    return pageOf(await this.database.transaction((tx) => listTokens(tx, org, slice)), toToken);
  }

  @Post(':id/revoke')
  @Write({ action: 'token.revoke', summary: 'Make a token worthless, at once and for good', role: 'admin' })
  @ApiOkResponse({ type: TokenDto })
  @Refuses(404)
  async revoke(@By() { org }: Caller, @Param('id', NumberIdPipe) id: number, @Query() _query: OrgQuery): Promise<TokenDto> {
    return audited(this.database, async (tx) => {
      const isRevoked = await revokeToken(tx, org, id);
      const token = await readToken(tx, org, id);
      if (token === null) throw new NotFound(`There is no token ${id}.`);
      if (!isRevoked) throw new Conflict(`Token ${id} was revoked already.`);
      return toToken(token);
    });
  }
}

function toToken({ id, name, role, created_at, revoked_at }: TokenRow): TokenDto {
  return { id: String(id), name, role, created_at: instant(created_at), revoked_at: instantOrNull(revoked_at) };
}
