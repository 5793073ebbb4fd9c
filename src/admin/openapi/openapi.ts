import fastifyStatic from '@fastify/static';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance } from 'fastify';
import { loadSwagger } from '../../http/documented.js';
import { ASSETS, assetsFolder, PAGE, START } from './page.js';

/** Serves the document at /openapi.json and a page to try it at /docs, both open. Call it before `init` or `listen`. */
export function serveOpenApi(app: NestFastifyApplication, version: string): void {
  let document: Promise<OpenAPIObject> | undefined;
  const server: FastifyInstance = app.getHttpAdapter().getInstance();
  server.get('/openapi.json', () => {
    document ??= openApiDocument(app, version);
    return document;
  });
  server.get('/docs', (_, reply) => reply.type('text/html; charset=utf-8').send(PAGE));
  server.get('/docs/start.js', (_, reply) => reply.type('text/javascript; charset=utf-8').send(START));
  void server.register(fastifyStatic, { root: assetsFolder(), serve: false });
  for (const file of ASSETS) server.get(`/docs/${file}`, (_, reply) => reply.sendFile(file));
}

/** Everything that the application answers to, described. */
async function openApiDocument(app: NestFastifyApplication, version: string): Promise<OpenAPIObject> {
  const { DocumentBuilder, SwaggerModule } = await loadSwagger();
  const about = new DocumentBuilder()
    .setTitle('Throughline')
    .setDescription('Routes authenticated external events into durable agent conversations. Errors are problem details (RFC 9457).')
    .setVersion(version)
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'A token of `throughline token create`, or THROUGHLINE_ADMIN_TOKEN.' })
    .build();
  return SwaggerModule.createDocument(app, about, {
    operationIdFactory: (controller, method) => `${controller.replace(/Controller$/, '')}.${method}`,
  });
}
