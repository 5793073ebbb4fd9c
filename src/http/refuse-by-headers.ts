import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { ExpectationFailed, MissingHost } from './http-errors.js';

/** What Node would refuse with an empty body goes on to the application, so that it is worded like every other refusal. */
export function refuseByHeaders(server: FastifyInstance): void {
  const unmet = new WeakSet<IncomingMessage>();
  server.server.on('checkExpectation', (request: IncomingMessage, response: unknown) => {
    unmet.add(request);
    server.server.emit('request', request, response);
  });
  server.addHook('onRequest', ({ raw }, _reply, done) => {
    if (unmet.has(raw)) return done(new ExpectationFailed());
    if (raw.httpVersion === '1.1' && raw.headers.host === undefined) return done(new MissingHost());
    done();
  });
}
