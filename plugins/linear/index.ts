import { Injectable, Module } from '@nestjs/common';
import { definePlugin, PLUGIN_API_VERSION, type Provider } from 'throughline/plugin';
import { LinearAttachments } from './linear.attachments.js';
import { LinearBackfill } from './linear.backfill.js';
import { LinearControl } from './linear.control.js';
import { linearEffects } from './linear.effects.js';
import { LinearLifecycle } from './linear.lifecycle.js';
import { LinearConnection } from './linear.options.js';
import { LinearReconciliation } from './linear.poll.js';
import { LinearPreparer } from './linear.preparer.js';
import { LinearSubjects } from './linear.subjects.js';
import { comment, plan, setState } from './linear.tools.js';
import { LinearWebhook } from './linear.webhook.js';
import { LinearWork } from './linear.work.js';

@Injectable()
export class LinearProvider implements Provider<LinearConnection> {
  readonly transports = [new LinearWebhook(), new LinearReconciliation()];
  readonly subjects = new LinearSubjects();
  readonly control = new LinearControl();
  readonly trusted = new LinearWork();
  readonly preparer = new LinearPreparer();
  readonly lifecycle = new LinearLifecycle();
  readonly backfill = new LinearBackfill();
  readonly tools = [comment, plan, setState];
  readonly attachments = new LinearAttachments();
  readonly effects = linearEffects;
}

@Module({ providers: [LinearProvider], exports: [LinearProvider] })
export class LinearModule {}

export default definePlugin<LinearConnection>({
  name: 'linear',
  apiVersion: PLUGIN_API_VERSION,
  options: LinearConnection,
  receives: ['webhook', 'poll'],
  // What is polled is only what its webhooks may have missed.
  needsSecret: () => true,
  module: LinearModule,
  provider: LinearProvider,
});
