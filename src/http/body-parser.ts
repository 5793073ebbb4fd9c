import type { FastifyInstance, FastifyRequest } from 'fastify';
import secureJson from 'secure-json-parse';
import { InvalidJson, UnsupportedMediaType } from './http-errors.js';
import { mediaTypeOf } from './media-type.js';
import { parseJson } from './parse-json.js';
import { readBody } from './read-body.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True: the route reads its body by itself, since what it refuses before the first byte is its own matter. */
    readsOwnBody?: boolean;
  }
}

/** Replaces Fastify's parsers, which judge a body before its sender is known and lose its exact bytes. */
export function useBodyParser(server: FastifyInstance, bodyLimit: number): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', async (request: FastifyRequest): Promise<unknown> => {
    if (request.is404 || request.routeOptions.config.readsOwnBody) return undefined;
    return readJsonBody(request, bodyLimit);
  });
  server.addHook('onRequest', (request, _reply, done) => {
    // Fastify answers a malformed type by itself, before the route could say that it does not exist. Such routes read `rawHeaders`.
    if (request.is404 || request.routeOptions.config.readsOwnBody) delete request.raw.headers['content-type'];
    done();
  });
}

async function readJsonBody(request: FastifyRequest, limit: number): Promise<unknown> {
  const body = await readBody(request.raw, limit);
  if (body.length === 0) return undefined;
  if (mediaTypeOf(request.headers['content-type']) !== 'json')
    throw new UnsupportedMediaType('Send JSON, with content-type application/json.');
  const reading = parseJson(body);
  if (!reading.ok) throw new InvalidJson(reading.problem);
  return refusePoison(reading.value);
}

/** `__proto__` and `constructor.prototype` have no place in what people send to the API. */
function refusePoison(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  try {
    return secureJson.scan(value, { protoAction: 'error', constructorAction: 'error' });
  } catch (cause) {
    throw new InvalidJson('The body has a key __proto__ or constructor.prototype, which is never right here.', [], { cause });
  }
}
