import { type Fields, fields, word } from 'throughline/plugin';
import { type Ask, pathOf } from './matrix.api.js';

const MOST = 5_000;

/** What people in rooms call themselves. Without it a message has its author's id for a name. */
export class Members {
  private readonly names = new Map<string, string | undefined>();

  /** Takes what events of membership say. */
  take(room: string, events: readonly Fields[]): void {
    for (const { type, state_key: user, content } of events)
      if (type === 'm.room.member' && typeof user === 'string') this.keep(`${room} ${user}`, word(fields(content)?.displayname));
  }

  async nameOf(ask: Ask, room: string, user: string, signal: AbortSignal): Promise<string | undefined> {
    const key = `${room} ${user}`;
    if (!this.names.has(key)) {
      const member = await ask({ method: 'GET', path: pathOf('rooms', room, 'state', 'm.room.member', user), signal }).catch(() => null);
      if (member === null) return undefined;
      this.keep(key, word(member.displayname));
    }
    return this.names.get(key);
  }

  private keep(key: string, name: string | undefined): void {
    this.names.delete(key);
    this.names.set(key, name);
    const [oldest] = this.names.keys();
    if (this.names.size > MOST && oldest !== undefined) this.names.delete(oldest);
  }
}
