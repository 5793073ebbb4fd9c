import { Injectable, Module } from '@nestjs/common';
import { definePlugin, PLUGIN_API_VERSION, type Provider } from 'throughline/plugin';
import { WebhookConnection } from './webhook.options.js';
import { MappedSubjects } from './webhook.subjects.js';
import { MappedWebhook } from './webhook.transport.js';

@Injectable()
export class WebhookProvider implements Provider<WebhookConnection> {
  readonly transports = [new MappedWebhook()];
  readonly subjects = new MappedSubjects();
}

@Module({ providers: [WebhookProvider], exports: [WebhookProvider] })
export class WebhookModule {}

export default definePlugin<WebhookConnection>({
  name: 'webhook',
  apiVersion: PLUGIN_API_VERSION,
  options: WebhookConnection,
  module: WebhookModule,
  provider: WebhookProvider,
});
