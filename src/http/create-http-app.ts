import type { DynamicModule, LoggerService, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { configureServer, fastifyAdapter } from './configure-server.js';
import { type HttpOptions, httpDefaults } from './http-options.js';
import { ServerLogger } from './server-logger.js';

/** The application with its server set up, not yet listening. */
export async function createHttpApp(
  module: Type | DynamicModule,
  options: Partial<HttpOptions> = {},
  logger: 'quiet' | LoggerService = new ServerLogger(),
): Promise<NestFastifyApplication> {
  const complete = { ...httpDefaults, ...options };
  const app = await NestFactory.create<NestFastifyApplication>(module, fastifyAdapter(complete), {
    bodyParser: false,
    abortOnError: false,
    logger: logger === 'quiet' ? false : logger,
  });
  configureServer(app, complete);
  return app;
}
