import { Injectable, Module } from '@nestjs/common';
import { definePlugin, PLUGIN_API_VERSION, type Provider } from 'throughline/plugin';
import { Clients } from './clients.js';
import { MatrixControl } from './matrix.control.js';
import { MatrixConnection } from './matrix.options.js';
import { MatrixPoll } from './matrix.poll.js';
import { endpointsOf, MatrixSubjects } from './matrix.subjects.js';
import { MatrixEffects, RouteRead, RouteSend } from './matrix.tools.js';
import { OlmCiphers } from './olm-ciphers.js';

@Injectable()
export class MatrixProvider implements Provider<MatrixConnection> {
  private readonly clients = new Clients();
  private readonly ciphers = new OlmCiphers();
  readonly transports = [new MatrixPoll(this.clients, this.ciphers)];
  readonly subjects = new MatrixSubjects();
  readonly control = new MatrixControl(this.clients, this.ciphers);
  readonly tools = [new RouteSend(this.clients, this.ciphers)];
  readonly reads = [new RouteRead(this.clients, this.ciphers)];
  readonly effects = new MatrixEffects(this.clients, this.ciphers);
}

@Module({ providers: [MatrixProvider], exports: [MatrixProvider] })
export class MatrixModule {}

export default definePlugin<MatrixConnection>({
  name: 'matrix',
  apiVersion: PLUGIN_API_VERSION,
  options: MatrixConnection,
  receives: ['poll'],
  endpoints: endpointsOf,
  writes: 'approved',
  module: MatrixModule,
  provider: MatrixProvider,
});
