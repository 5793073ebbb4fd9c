import { Injectable, Module } from '@nestjs/common';
import { definePlugin, PLUGIN_API_VERSION, type Provider } from 'throughline/plugin';
import { LinearControl } from './linear.control.js';
import { LinearConnection } from './linear.options.js';
import { LinearSubjects } from './linear.subjects.js';
import { comment, linearEffects, setState } from './linear.tools.js';
import { LinearWebhook } from './linear.webhook.js';

@Injectable()
export class LinearProvider implements Provider<LinearConnection> {
  readonly transports = [new LinearWebhook()];
  readonly subjects = new LinearSubjects();
  readonly control = new LinearControl();
  readonly tools = [comment, setState];
  readonly effects = linearEffects;
}

@Module({ providers: [LinearProvider], exports: [LinearProvider] })
export class LinearModule {}

export default definePlugin<LinearConnection>({
  name: 'linear',
  apiVersion: PLUGIN_API_VERSION,
  options: LinearConnection,
  module: LinearModule,
  provider: LinearProvider,
});
