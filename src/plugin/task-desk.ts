import type { OutboundTool } from './effect.js';
import type { Tasks } from './task.js';

/** What a trusted processor may do about the task of the conversation that it has in hand. */
export interface TaskDesk<Options extends object = object> extends Tasks {
  /**
   * Puts a message of the host's own into the conversation, behind what waits there; it makes a turn of its own. Once for each `id` of the
   * conversation, however often it is told.
   */
  tell(message: { readonly id: string; readonly text: string }): Promise<void>;
  /**
   * Writes as an effect, to what the conversation is about; the tool need not be among those that agents have. Throws the tool's
   * `ProviderFault`, and a transient one while nobody knows what became of it.
   */
  write<Input extends object>(tool: OutboundTool<Options, Input>, input: Input): Promise<void>;
}
