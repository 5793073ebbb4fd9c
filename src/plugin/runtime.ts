/** A file that came with a message, fetched by the host into the turn's folder. */
export interface TurnAttachment {
  readonly name: string;
  readonly mime: string | null;
  /** Bytes. */
  readonly size: number;
  /** Absolute path. */
  readonly path: string;
}

/** One message of a turn: one delivery of the conversation's FIFO, or the head of several that enter one turn together. */
export interface TurnMessage {
  readonly delivery: string;
  readonly sequence: number;
  /** Name of the connection, or of the origin (`api`). */
  readonly source: string;
  readonly event: string;
  readonly author: string | null;
  readonly text: string;
  /** Length of the part of `text`, from its start, that the host wrote: notices and instructions. The rest is the author's. Absent: 0. */
  readonly preface?: number;
  readonly attachments: readonly TurnAttachment[];
  /** When the receipt was stored, and when the agent was woken for it; ISO-8601. */
  readonly received_at: string;
  readonly sent_at: string;
}

/** What a runtime is given. The document of `process` runtimes is made of exactly these fields. */
export interface TurnInput {
  readonly conversation: {
    readonly id: string;
    readonly org: string;
    readonly title: string | null;
    readonly subject: { readonly namespace: string; readonly key: string };
  };
  readonly turn: {
    readonly id: string;
    /** 1 for the first try; higher when the same messages are tried again. */
    readonly attempt: number;
    /** True: an interrupted turn goes on where it was. */
    readonly resumed: boolean;
    readonly trust: 'trusted' | 'untrusted';
    /**
     * Counts what was done in the conversation, on whatever replica: where it is one more than that of the turn before, nothing came between,
     * and what a runtime remembers of it is all there is.
     */
    readonly number?: number;
    readonly messages: readonly TurnMessage[];
  };
  /** What the agent called its session last time, or null. */
  readonly session: string | null;
  /** Absolute path of the folder that the turn works in. */
  readonly workspace: string;
  /** Where the agent finds the tools of its conversation (MCP, streamable HTTP) and the bearer token for it; null: it has none. */
  readonly mcp: { readonly url: string; readonly token: string } | null;
}

/** What an agent wants a person to allow. */
export interface ApprovalRequest {
  /** The agent's own id of the request, unique within its turn. */
  readonly id: string;
  readonly title: string;
  /** Exactly what would be done, for the person who decides. */
  readonly body: string;
}

/** How a person decided. `expired`: nobody did in time. */
export type ApprovalDecision = 'approved' | 'denied' | 'expired';

/** What a turn says while it runs. `result` is the final text; a turn that ends without one has its joined `text` as result. */
export type TurnEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'status'; readonly text: string }
  | { readonly type: 'session'; readonly id: string }
  | { readonly type: 'tool'; readonly name: string; readonly input?: unknown }
  | { readonly type: 'cost'; readonly usd: number }
  | { readonly type: 'result'; readonly text: string }
  /** The agent waits for a person; the host calls `decide` when one has decided, or when nobody did in time. */
  | ({ readonly type: 'approval' } & ApprovalRequest)
  /** The operating system's process group that works on the turn, so that recovery can end it. `startedAt`: opaque, tells a reused pid apart. */
  | { readonly type: 'process'; readonly pid: number; readonly startedAt: string };

/** The runtime reports that the turn failed: one attempt. Anything else that a runtime throws counts as an interruption. */
export class TurnFailed extends Error {
  override readonly name = 'TurnFailed';

  constructor(
    message: string,
    /** For people: the end of what the agent printed, at most 4 KB. */
    readonly detail: string | null = null,
  ) {
    super(message);
  }
}

/** A way to run turns. Turns are told apart by the id in their input. */
export interface AgentRuntime {
  /**
   * Runs one turn and yields what it says. Ends normally when the turn is done, throws `TurnFailed` when the agent failed.
   * When `signal` aborts, nothing may work on the turn any more when the iteration ends (it then throws the signal's reason).
   */
  startTurn(input: TurnInput, signal: AbortSignal): AsyncIterable<TurnEvent>;
  /**
   * Gives messages to a turn that runs, in their order. True: they belong to that turn, which does not end before its agent had them.
   * False, or a rejection: the turn cannot take them (any more), and never will; they wait for a turn of their own.
   * Resolves at the latest when the turn ends. A runtime that has it is given what arrives while a turn runs.
   */
  append?(turn: string, messages: readonly TurnMessage[]): Promise<boolean>;
  /**
   * Brings a turn that runs to rest, its state kept, until `resume`. Resolves to true when nothing of it works any more;
   * to false when it cannot be paused or ended meanwhile: it then goes on to its end. An aborted `signal` ends it at rest, too.
   */
  pause?(turn: string): Promise<boolean>;
  /** Answers a request that a turn made with an `approval` event. False: the turn waits for no such answer (any more). */
  decide?(turn: string, request: string, decision: ApprovalDecision): Promise<boolean>;
  /** Lets a turn at rest go on. */
  resume?(turn: string): Promise<void>;
  /**
   * Goes on with a turn whose host ended while it ran: `interrupted` is the id that the turn had then, and `input` that of the turn that it
   * goes on as, with the same messages and `resumed: true`. Resolves to null when there is nothing to go on with; the turn is then run
   * anew, and its first message says that it was interrupted. Only turns that said a `session` or a `process` can be gone on with.
   */
  reattach?(input: TurnInput, interrupted: string, signal: AbortSignal): Promise<AsyncIterable<TurnEvent> | null>;
  /** Checks without running a turn that turns can run here, for example that the command exists. Resolves to a fault to show, or null. */
  check?(): Promise<string | null>;
  /**
   * Lets go of all that it keeps for a conversation that has ended (a process, a remote session). Idempotent; may be called for
   * conversations it never heard of. Not called while a turn of the conversation runs.
   */
  retire?(conversation: string): Promise<void>;
  /**
   * The conversations for which it keeps something between turns. Left out: none. One that ends on another replica is let go of here, too:
   * those that have ended are given to `retire`.
   */
  kept?(): readonly string[];
  /** The server ends, and no turn runs any more: lets go of all that it keeps. */
  close?(): Promise<void>;
}
