import { setTimeout as delay } from 'node:timers/promises';
import type { AgentServerPlace } from './agent-servers.js';

/**
 * Says when it is worth to ask a conversation again: at once when its socket tells of anything, and after a while in any case. What the
 * socket tells is not read: it may be cut off at any time, and what was asked for is complete.
 */
export class Nudges {
  private readonly socket: WebSocket | null;
  private isDue = false;
  private wake: () => void = () => {};

  constructor({ url, apiKey }: AgentServerPlace, conversation: string) {
    this.socket = opened(`${url.replace(/^http/, 'ws')}/sockets/events/${encodeURIComponent(conversation)}`);
    this.socket?.addEventListener('open', () => {
      if (apiKey !== null) this.socket?.send(JSON.stringify({ type: 'auth', session_api_key: apiKey }));
    });
    this.socket?.addEventListener('message', () => this.nudge());
    this.socket?.addEventListener('error', () => {});
  }

  nudge(): void {
    this.isDue = true;
    this.wake();
  }

  /** Resolves when there is news, or after so long. Rejects with the signal's reason. */
  async next(limitMs: number, signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    this.wake = () => woken.abort();
    if (!this.isDue) await delay(limitMs, undefined, { signal: AbortSignal.any([signal, woken.signal]) }).catch(() => undefined);
    this.wake = () => {};
    this.isDue = false;
    signal.throwIfAborted();
  }

  close(): void {
    this.socket?.close();
  }
}

function opened(address: string): WebSocket | null {
  try {
    return new WebSocket(address);
  } catch {
    return null;
  }
}
