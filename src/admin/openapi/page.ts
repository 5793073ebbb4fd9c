import { createRequire } from 'node:module';
import path from 'node:path';

export const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Throughline API</title>
    <link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

export const START = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#swagger-ui', deepLinking: true });
`;

/** What the page needs of the package that Swagger brings along. */
export const ASSETS: readonly string[] = ['favicon-32x32.png', 'swagger-ui.css', 'swagger-ui-bundle.js'];

/** Where they are; nothing of Swagger is loaded for it. */
export function assetsFolder(): string {
  const ofSwagger = createRequire(import.meta.resolve('@nestjs/swagger'));
  return path.dirname(ofSwagger.resolve('swagger-ui-dist/package.json'));
}
