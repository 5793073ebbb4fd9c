import { Body, Controller, Delete, Get, Inject, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isConversationId } from '../core/conversations/conversation-id.js';
import { readStanding, type Standing } from '../core/conversations/standings.js';
import { Database } from '../database/database.js';
import { ApiExcludeController } from '../http/documented.js';
import { DomainError } from '../plugin/index.js';
import type { McpParts } from './mcp-server.js';
import { isTokenOf } from './tool-token.js';

/** The parts behind the endpoint, and the key that tokens are made with. */
export abstract class McpHost {
  abstract readonly parts: McpParts;
  abstract readonly key: Buffer;
}

/** The same for whoever has no token, a wrong one, or one of another conversation: nothing says whether there is such a conversation. */
class NoToolToken extends DomainError {
  readonly code = 'unauthenticated';
  readonly status = 401;

  constructor() {
    super(
      'Send the token that the turn was given for the tools of this very conversation; it ends with the conversation and with a reset.',
    );
  }
}

/** This server opens no streams and keeps no sessions. */
class OnlyPosts extends DomainError {
  readonly code = 'method_not_allowed';
  readonly status = 405;

  constructor() {
    super('Send requests by POST: this endpoint keeps no sessions and opens no streams.');
  }
}

/** The tools of a conversation for its agent: Model Context Protocol over streamable HTTP, without state. */
@ApiExcludeController()
@Controller('v1/mcp/:conversation')
export class McpController {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(McpHost) private readonly host: McpHost,
  ) {}

  @Post()
  async post(
    @Param('conversation') conversation: string,
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const standing = await this.admit(conversation, request, reply);
    const headers = new Headers();
    for (const [name, value] of Object.entries(request.headers)) if (typeof value === 'string') headers.set(name, value);
    const asked = new Request(`http://localhost${request.url}`, { method: 'POST', headers });
    // The protocol's SDK is loaded for the first agent that asks, not for every start.
    const { answerMcp } = await import('./mcp-server.js');
    const answer = await answerMcp(this.host.parts, standing, asked, body);
    reply.status(answer.status);
    answer.headers.forEach((value, name) => void reply.header(name, value));
    await reply.send(await answer.text());
  }

  @Get()
  async get(@Param('conversation') conversation: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.refuse(conversation, request, reply);
  }

  @Delete()
  async delete(@Param('conversation') conversation: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.refuse(conversation, request, reply);
  }

  private async refuse(conversation: string, request: FastifyRequest, reply: FastifyReply): Promise<never> {
    await this.admit(conversation, request, reply);
    reply.header('allow', 'POST');
    throw new OnlyPosts();
  }

  private async admit(conversation: string, request: FastifyRequest, reply: FastifyReply): Promise<Standing> {
    const standing = isConversationId(conversation) ? await this.database.transaction((tx) => readStanding(tx, conversation)) : null;
    if (isTokenOf(this.host.key, standing, request.headers.authorization)) return standing;
    reply.header('www-authenticate', 'Bearer realm="throughline tools"');
    throw new NoToolToken();
  }
}
