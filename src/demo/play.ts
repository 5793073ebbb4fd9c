import { setTimeout as pause } from 'node:timers/promises';
import { type Destination, postStep } from './post-step.js';
import type { Progress } from './progress.js';
import { scenes } from './scenes/all-scenes.js';
import type { Table } from './screen/table.js';
import type { Scene, Step } from './script.js';
import type { TurnWatch } from './turn-watch.js';

export interface Stage {
  readonly destination: Destination;
  readonly progress: Progress;
  readonly watch: TurnWatch;
  readonly table: Table;
  /** Between two steps, so that people can follow. */
  readonly paceMs: number;
  readonly signal: AbortSignal;
}

/** Sends what was not answered yet, scene by scene, and resolves when all of it is completed. */
export async function play(stage: Stage): Promise<void> {
  for (const { answer } of stage.progress.answered) if (answer.delivery) stage.watch.follow(answer.delivery.conversation);
  for (const [index, scene] of scenes.entries()) {
    const left = scene.steps.filter((step) => stage.progress.answerTo(step) === null);
    if (left.length === 0) continue;
    stage.table.scene(scene, index + 1, scenes.length);
    await playScene(stage, scene, left);
  }
  await stage.watch.rest();
}

async function playScene(stage: Stage, { atOnce }: Scene, steps: readonly Step[]): Promise<void> {
  if (atOnce) {
    await Promise.all(steps.map((step) => playStep(stage, step)));
    return;
  }
  for (const step of steps) {
    if (step.afterRest) await stage.watch.rest();
    await playStep(stage, step);
    await pause(stage.paceMs, undefined, { signal: stage.signal });
  }
}

async function playStep({ destination, progress, watch, table, signal }: Stage, step: Step): Promise<void> {
  signal.throwIfAborted();
  const isRepeat = progress.noteSending(step);
  const answer = await postStep(step, destination);
  const answered = { step: step.id, answer, isRepeat };
  const conversation = answer.delivery ? await watch.conversation(answer.delivery.conversation) : null;
  table.delivery(step, answered, conversation);
  // Told first, noted then: what a kill leaves out of the note is told again, and nothing is left out of the table.
  progress.noteAnswer(answered);
  if (conversation) watch.follow(conversation.id);
}
