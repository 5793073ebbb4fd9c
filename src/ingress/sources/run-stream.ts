import type { AdmissionAnswer } from '../../core/admission/event.js';
import { GroupCommit } from '../../core/admission/group-commit.js';
import { noteGap } from '../../core/gaps/note-gap.js';
import { Superseded } from '../../core/leases/superseded.js';
import { InvalidInput, type ProviderEvent, ProviderFault, type StreamSink } from '../../plugin/index.js';
import { type Attempt, untilSettled } from './attempt.js';
import type { Of } from './source-spec.js';

const GROUP = 100;
const MOST_WAITING = 10_000;

/** Opens the stream once, and takes what it says until it ends. */
export async function runStream(spec: Of<'stream'>, attempt: Attempt): Promise<void> {
  const { connection, transport } = spec;
  // Before the first new event, which would make it look as if nothing had been missed.
  if (spec.hasHistory) await noteGap(attempt.database, connection.org, connection.name);
  await untilSettled(attempt.signal, async (signal, abort) => {
    const silence = new Silence(transport.silenceMs ?? null, abort);
    try {
      await transport.open(connection, sinkFor(spec, attempt, silence, signal, abort), signal);
    } finally {
      silence.end();
    }
  });
}

function sinkFor(spec: Of<'stream'>, attempt: Attempt, silence: Silence, signal: AbortSignal, abort: (reason: Error) => void): StreamSink {
  const group = new GroupCommit<ProviderEvent, AdmissionAnswer>(
    (events) => attempt.admission.admit(events),
    (error) => error instanceof InvalidInput,
    { group: GROUP, waiting: MOST_WAITING, onOverflow: () => new ProviderFault('more events are waiting than can be stored', 'transient') },
  );
  return {
    accept: async (event) => {
      silence.heard();
      if (signal.aborted) throw new Superseded(spec.name);
      const { duplicate, receipt, disposition } = await group.submit(event).catch((error: unknown) => {
        // Whatever the plugin makes of it, its socket is to be closed.
        if (error instanceof Superseded) abort(error);
        throw error;
      });
      return { duplicate, receipt, disposition };
    },
    connected: () => {
      silence.heard();
      if (!signal.aborted) attempt.connected();
    },
    heard: () => silence.heard(),
  };
}

/** Ends a connection that has said nothing for longer than a healthy one would. */
class Silence {
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly longestMs: number | null,
    private readonly abort: (reason: Error) => void,
  ) {
    this.heard();
  }

  heard(): void {
    this.end();
    const { longestMs } = this;
    if (longestMs === null) return;
    const reason = new ProviderFault(`nothing was heard for ${longestMs} ms; the connection is taken for half-open`, 'transient');
    this.timer = setTimeout(() => this.abort(reason), longestMs);
  }

  end(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
  }
}
