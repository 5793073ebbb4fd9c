import type { Connection } from 'throughline/plugin';
import type { MatrixClient } from './matrix.api.js';
import type { MatrixConnection } from './matrix.options.js';

/** One client a connection: its requests share the session that a login gave. */
export class Clients {
  private readonly clients = new Map<string, Promise<MatrixClient>>();

  /** The SDK is loaded with the first client, so that servers without Matrix do not carry it. */
  of({ org, name, options }: Connection<MatrixConnection>): Promise<MatrixClient> {
    const key = `${org}/${name} ${options.apiUrl} ${options.token ?? ''}`;
    const client = this.clients.get(key) ?? import('./matrix.client.js').then(({ createClient }) => createClient(options));
    this.clients.set(key, client);
    return client;
  }
}
