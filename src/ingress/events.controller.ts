import { Controller, Inject, Logger, Options, Param, Post, Req, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Bracket } from '../core/admission/admissions.js';
import type { AdmissionAnswer, IncomingEvent } from '../core/admission/event.js';
import { ApiExcludeEndpoint, ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '../http/documented.js';
import { DomainError, NotFound, type ProviderEvent, type Reply, type VerifiedRequest } from '../plugin/index.js';
import { type ArrivedRequest, receive } from './arrived-request.js';
import { authenticate } from './authenticate.js';
import { DatabaseClock, EventAdmission, type EventSource, EventSources } from './event-source.js';
import { UnknownSource } from './ingress-errors.js';
import { parseEvent } from './parse-event.js';
import { RateBudget } from './rate-budget.js';
import { type ReadEvent, readEvent, verifiedRequest } from './read-event.js';
import { incomingEvent } from './sources/incoming-event.js';

/** Nothing else commits with events that came in one request. */
const ALONE: Bracket = { before: async () => undefined, after: async () => undefined };

/** Where providers post their events. Each step may refuse, and none is taken before the ones above it. */
@Controller('v1/events')
@ApiTags('events')
export class EventsController {
  private readonly log = new Logger('Events');

  constructor(
    @Inject(EventSources) private readonly sources: EventSources,
    @Inject(EventAdmission) private readonly admission: EventAdmission,
    @Inject(DatabaseClock) private readonly clock: DatabaseClock,
    @Inject(RateBudget) private readonly budget: RateBudget,
  ) {}

  @Post(':org/:source')
  @ApiOperation({
    summary: 'Where a provider posts its events',
    description: 'Signed as the provider signs; the body is what the provider sends. A request that was answered 200 is stored for good.',
  })
  @ApiOkResponse({
    description: 'Stored, or stored before: what was decided about it. Handshakes and some providers have answers of their own.',
  })
  @ApiResponse({ status: '4XX', description: 'Refused, with nothing left behind: a problem document whose `code` says why.' })
  @ApiResponse({ status: 503, description: 'The store cannot be written at the moment; send the same request again.' })
  @RouteConfig({ readsOwnBody: true })
  async accept(
    @Param('org') org: string,
    @Param('source') name: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const source = this.sources.find(org, name);
    if (source === null) throw new UnknownSource();
    const arrived = await receive(request, source);
    const secretIndex = await this.authentic(source, arrived);
    this.budget.spend(source);

    const verified = verifiedRequest(arrived);
    const read = readEvent(source.transport, verified, source.connection);
    if ('handshake' in read) return send(reply, read.handshake);
    const answers =
      'events' in read
        ? await this.admitAll(source, read.events, secretIndex)
        : [await this.admission.admit(this.incoming(source, read.event, arrived.body, secretIndex))];
    send(reply, this.replyTo(source, answers, verified));
  }

  @Options(':org/:source')
  @ApiExcludeEndpoint()
  @RouteConfig({ readsOwnBody: true })
  preflight(@Param('org') org: string, @Param('source') name: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const source = this.sources.find(org, name);
    if (source === null) throw new UnknownSource();
    const answer = source.transport.preflight?.(request.headers, source.connection) ?? null;
    if (answer === null) throw new NotFound('This source asks nobody for leave: post the events.');
    send(reply, answer);
  }

  private async authentic(source: EventSource, arrived: ArrivedRequest): Promise<number | null> {
    try {
      return await authenticate(source, arrived, Date.now() + this.clock.offsetMs());
    } catch (error) {
      if (error instanceof DomainError) source.refused?.(arrived, error.code);
      throw error;
    }
  }

  private async admitAll(
    source: EventSource,
    events: readonly ProviderEvent[],
    secretIndex: number | null,
  ): Promise<readonly AdmissionAnswer[]> {
    const incoming = events.map((event) => ({ ...incomingEvent(source, event), secretIndex }));
    const [first] = incoming;
    if (first === undefined) return [];
    return incoming.length === 1 ? [await this.admission.admit(first)] : this.admission.admitTogether(incoming, ALONE);
  }

  private incoming(source: EventSource, event: ReadEvent, body: Buffer, secretIndex: number | null): IncomingEvent {
    const { connection, provider } = source;
    return {
      org: connection.org,
      source: connection.name,
      provider,
      connection,
      ...event,
      body,
      secretIndex,
      parsed: parseEvent(source, event),
    };
  }

  /** After the commit nothing may turn the answer into a refusal. */
  private replyTo({ transport, connection }: EventSource, answers: readonly AdmissionAnswer[], request: VerifiedRequest): Reply {
    const [answer] = answers;
    if (answer === undefined || answers.length > 1)
      return {
        status: 200,
        body: { received: true, duplicate: answers.length > 0 && answers.every(({ duplicate }) => duplicate), events: answers },
      };
    try {
      return transport.reply?.(answer, request, connection) ?? { status: 200, body: answer };
    } catch (error) {
      this.log.error(`the reply of ${connection.org}/${connection.name} threw`, error instanceof Error ? error.stack : undefined);
      return { status: 200, body: answer };
    }
  }
}

function send(reply: FastifyReply, { status, body, headers }: Reply): void {
  const isText = typeof body === 'string';
  reply.status(status).header('content-type', isText ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8');
  reply.headers({ ...headers }).send(isText ? body : JSON.stringify(body));
}
