import type { GatewaySession } from './discord.api.js';

interface Step {
  readonly sequence: number;
  isStored: boolean;
}

/**
 * How far a session of the gateway was read: up to the last event before which all are stored. A resumed session goes on from there, so
 * that Discord tells again whatever was not.
 */
export class SessionProgress {
  private session: GatewaySession | null = null;
  private steps: Step[] = [];

  current(): GatewaySession | null {
    return this.session;
  }

  begin(session: GatewaySession): void {
    this.session = session;
    this.steps = [];
  }

  /** What was begun and not stored is told again, or is lost with the session. */
  interrupt(isLost: boolean): void {
    this.steps = [];
    if (isLost) this.session = null;
  }

  /** To be called in the order of the events; the answer says that the event needs no more to be told. */
  take(sequence: number): () => void {
    const step = { sequence, isStored: false };
    this.steps.push(step);
    return () => {
      step.isStored = true;
      this.advance();
    };
  }

  private advance(): void {
    while (this.session && this.steps[0]?.isStored) {
      const { sequence } = this.steps.shift() as Step;
      if (sequence > this.session.sequence) this.session = { ...this.session, sequence };
    }
  }
}
