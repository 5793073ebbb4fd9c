import { CONTROL_COMMANDS, type ControlCommand } from 'throughline/plugin';
import type { Ask } from './discord.api.js';
import { fields, list } from './json.js';

interface CommandOption {
  readonly type: 3;
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
}

interface Command {
  readonly name: string;
  readonly description: string;
  readonly options: readonly CommandOption[];
}

const MEANINGS: Readonly<Record<ControlCommand, string>> = {
  reset: 'The agent forgets what was said here',
  stop: 'Stops what the agent is doing',
  pause: 'Nothing more is given to the agent',
  resume: 'The agent goes on after a pause',
  reopen: 'Goes on with a closed conversation',
  status: 'How this conversation stands',
};

const APPROVAL: CommandOption = { type: 3, name: 'approval', description: 'Id of the request', required: true };
const REASON: CommandOption = { type: 3, name: 'reason', description: 'Why', required: false };

export const COMMANDS: readonly Command[] = [
  ...CONTROL_COMMANDS.map((name) => ({ name, description: MEANINGS[name], options: [] })),
  { name: 'approve', description: 'Allows what the agent asks for', options: [APPROVAL] },
  { name: 'deny', description: 'Refuses what the agent asks for', options: [APPROVAL, REASON] },
];

/**
 * Makes the commands known in every server of the bot. One that is there already as it should be is left alone, and so are commands of
 * others: an application may have 200 made in a day.
 */
export async function registerCommands(ask: Ask, application: string, signal: AbortSignal): Promise<void> {
  const path = `/applications/${application}/commands` as const;
  const present = list(await ask({ method: 'GET', path, signal }));
  for (const command of COMMANDS) {
    if (present.some((each) => isSame(each, command))) continue;
    // One of the same name is overwritten. In direct messages (context 1) there is no conversation.
    await ask({ method: 'POST', path, body: { ...command, type: 1, contexts: [0] }, signal });
  }
}

function isSame(present: object, { name, description, options }: Command): boolean {
  const known = fields(present) ?? {};
  const shape = (each: unknown) =>
    JSON.stringify([fields(each)?.type, fields(each)?.name, fields(each)?.description, fields(each)?.required === true]);
  const same = list(known.options).map(shape).join() === options.map(shape).join();
  return known.name === name && known.description === description && same;
}
