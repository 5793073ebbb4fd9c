import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';

/** Everything that the application answers to, described. */
function openApiDocument(app: NestFastifyApplication, version: string): OpenAPIObject {
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

/** Serves the document at /openapi.json and a page to try it at /docs, both open. Call it before `init` or `listen`. */
export function serveOpenApi(app: NestFastifyApplication, version: string): void {
  let document: OpenAPIObject | undefined;
  const once = (): OpenAPIObject => {
    document ??= openApiDocument(app, version);
    return document;
  };
  SwaggerModule.setup('docs', app, once, { jsonDocumentUrl: 'openapi.json', raw: ['json'], customSiteTitle: 'Throughline API' });
}
