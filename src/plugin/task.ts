/**
 * Work on what a conversation is about, steered by people where that is kept: planned, let be done, reviewed. A plugin that has such a board
 * says which move there is which step; the host keeps the task, once for each conversation.
 */
export type TaskState = 'planning' | 'proposed' | 'running' | 'review' | 'blocked' | 'done' | 'cancelled';

/** `plan` and `lease` begin one where there was none; `lease` lets it be done, `complete` takes what was reviewed. */
export type TaskStep = 'plan' | 'propose' | 'lease' | 'submit' | 'block' | 'complete' | 'cancel';

export interface Task {
  readonly state: TaskState;
  /** What its last step was taken by, and for whom. */
  readonly request: string;
  readonly initiator: string;
}

/** What a step is taken by: the same request takes the same step once. Both at most 255 characters. */
export type TaskRequest = Pick<Task, 'request' | 'initiator'>;

export interface Tasks {
  /** Null: there never was one. */
  read(): Promise<Task | null>;
  /** Null: from where it is this is no step, and nothing was changed. */
  take(step: TaskStep, by: TaskRequest): Promise<Task | null>;
}
