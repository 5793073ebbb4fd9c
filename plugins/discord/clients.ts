import type { Connection } from 'throughline/plugin';
import type { DiscordClient } from './discord.api.js';
import type { DiscordConnection } from './discord.options.js';

/** One client a bot: its requests share their limits, and what it knows of itself. */
export class Clients {
  private readonly clients = new Map<string, Promise<DiscordClient>>();

  /** discord.js is loaded with the first client, so that servers without Discord do not carry it. */
  of({ options: { token, apiUrl } }: Connection<DiscordConnection>): Promise<DiscordClient> {
    if (token === undefined) throw new Error('the connection has no token of a bot');
    const key = `${apiUrl ?? ''} ${token}`;
    const known = this.clients.get(key);
    if (known) return known;
    const made = import('./discord.client.js').then(({ createClient }) => createClient(token, apiUrl));
    this.clients.set(key, made);
    return made;
  }
}
