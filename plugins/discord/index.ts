import { Injectable, Module } from '@nestjs/common';
import { definePlugin, PLUGIN_API_VERSION, type Provider } from 'throughline/plugin';
import { DiscordConnection } from './discord.options.js';
import { DiscordSubjects } from './discord.subjects.js';
import { DiscordWebhook } from './discord.webhook.js';

@Injectable()
export class DiscordProvider implements Provider<DiscordConnection> {
  readonly transports = [new DiscordWebhook()];
  readonly subjects = new DiscordSubjects();
}

@Module({ providers: [DiscordProvider], exports: [DiscordProvider] })
export class DiscordModule {}

export default definePlugin<DiscordConnection>({
  name: 'discord',
  apiVersion: PLUGIN_API_VERSION,
  options: DiscordConnection,
  receives: ['webhook', 'stream'],
  module: DiscordModule,
  provider: DiscordProvider,
});
