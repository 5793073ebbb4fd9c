import { Injectable, Module } from '@nestjs/common';
import { definePlugin, PLUGIN_API_VERSION, type Provider } from 'throughline/plugin';
import { GithubAttachments } from './github.attachments.js';
import { GithubBackfill, GithubWatch } from './github.backfill.js';
import { GithubControl } from './github.control.js';
import { githubEffects } from './github.effects.js';
import { GithubConnection } from './github.options.js';
import { GithubSubjects } from './github.subjects.js';
import { comment, labels, review } from './github.tools.js';
import { GithubWebhook } from './github.webhook.js';

@Injectable()
export class GithubProvider implements Provider<GithubConnection> {
  readonly transports = [new GithubWebhook(), new GithubWatch()];
  readonly subjects = new GithubSubjects();
  readonly control = new GithubControl();
  readonly attachments = new GithubAttachments();
  readonly tools = [comment, review, labels];
  readonly effects = githubEffects;
  readonly backfill = new GithubBackfill();
}

@Module({ providers: [GithubProvider], exports: [GithubProvider] })
export class GithubModule {}

export default definePlugin({
  name: 'github',
  apiVersion: PLUGIN_API_VERSION,
  options: GithubConnection,
  receives: ['webhook', 'poll'],
  // What is polled is only what its webhooks may have missed.
  needsSecret: () => true,
  module: GithubModule,
  provider: GithubProvider,
});
