import { Injectable, Module } from '@nestjs/common';
import { definePlugin, PLUGIN_API_VERSION, type Provider } from 'throughline/plugin';
import { SlackAttachments } from './slack.attachments.js';
import { SlackBackfill } from './slack.backfill.js';
import { SlackControl } from './slack.control.js';
import { SlackConnection } from './slack.options.js';
import { SlackStream } from './slack.stream.js';
import { SlackSubjects } from './slack.subjects.js';
import { reply, slackEffects } from './slack.tools.js';
import { SlackWebhook } from './slack.webhook.js';

@Injectable()
export class SlackProvider implements Provider<SlackConnection> {
  readonly transports = [new SlackWebhook(), new SlackStream()];
  readonly subjects = new SlackSubjects();
  readonly control = new SlackControl();
  readonly tools = [reply];
  readonly effects = slackEffects;
  readonly backfill = new SlackBackfill();
  readonly attachments = new SlackAttachments();
}

@Module({ providers: [SlackProvider], exports: [SlackProvider] })
export class SlackModule {}

export default definePlugin<SlackConnection>({
  name: 'slack',
  apiVersion: PLUGIN_API_VERSION,
  options: SlackConnection,
  receives: ['webhook', 'stream'],
  needsSecret: ({ appToken }) => appToken === undefined,
  module: SlackModule,
  provider: SlackProvider,
});
