import { Injectable, Module } from '@nestjs/common';
import { definePlugin, PLUGIN_API_VERSION, type Provider } from 'throughline/plugin';
import { SlackControl } from './slack.control.js';
import { SlackConnection } from './slack.options.js';
import { SlackSubjects } from './slack.subjects.js';
import { SlackWebhook } from './slack.webhook.js';

@Injectable()
export class SlackProvider implements Provider<SlackConnection> {
  readonly transports = [new SlackWebhook()];
  readonly subjects = new SlackSubjects();
  readonly control = new SlackControl();
}

@Module({ providers: [SlackProvider], exports: [SlackProvider] })
export class SlackModule {}

export default definePlugin<SlackConnection>({
  name: 'slack',
  apiVersion: PLUGIN_API_VERSION,
  options: SlackConnection,
  module: SlackModule,
  provider: SlackProvider,
});
