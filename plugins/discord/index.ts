import { Injectable, Module } from '@nestjs/common';
import { definePlugin, PLUGIN_API_VERSION, type Provider } from 'throughline/plugin';
import { Clients } from './clients.js';
import { DiscordAttachments } from './discord.attachments.js';
import { DiscordBackfill } from './discord.backfill.js';
import { DiscordControl } from './discord.control.js';
import { DiscordConnection } from './discord.options.js';
import { DiscordStream } from './discord.stream.js';
import { DiscordSubjects } from './discord.subjects.js';
import { DiscordWebhook } from './discord.webhook.js';

@Injectable()
export class DiscordProvider implements Provider<DiscordConnection> {
  private readonly clients = new Clients();
  readonly transports = [new DiscordWebhook(), new DiscordStream(this.clients)];
  readonly subjects = new DiscordSubjects();
  readonly control = new DiscordControl(this.clients);
  readonly attachments = new DiscordAttachments(this.clients);
  readonly backfill = new DiscordBackfill(this.clients);
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
