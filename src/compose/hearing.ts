import { Logger } from '@nestjs/common';
import { WakeUps } from '../core/replicas/wake-ups.js';
import type { Signals } from '../core/signals.js';
import { Notifications } from '../database/notifications.js';

/** How this process hears from the other replicas, and tells them: at once where PostgreSQL can be reached directly, else by looking. */
export class Hearing {
  private readonly log = new Logger('Replica');
  private readonly notifications: Notifications | null;
  private readonly wakeUps: WakeUps | null;

  constructor(url: string, directUrl: string | null, signals: Signals, isFull: () => boolean) {
    const address = directUrl ?? url;
    // A SQLite file has one server.
    if (address.startsWith('sqlite:')) {
      this.notifications = null;
      this.wakeUps = null;
      return;
    }
    const wakeUps = new WakeUps(signals, (message) => notifications.send(message), isFull);
    const notifications = new Notifications(address, {
      message: (payload) => wakeUps.hear(payload),
      connected: () => {
        this.log.log('hears from other replicas at once');
        wakeUps.connected();
      },
      lost: (reason) => this.log.warn(`does not hear from other replicas at the moment, and looks for work instead: ${reason}`),
      pooled: () =>
        this.log.warn(
          `database.${directUrl === null ? 'url' : 'directUrl'} leads through a pooler, so this replica looks for work instead of being told; ` +
            'set database.directUrl to the address of PostgreSQL itself',
        ),
    });
    this.wakeUps = wakeUps;
    this.notifications = notifications;
  }

  start(): void {
    this.notifications?.start();
  }

  async stop(): Promise<void> {
    this.wakeUps?.stop();
    await this.notifications?.close();
  }
}
