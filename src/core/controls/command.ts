import { CONTROL_COMMANDS, type ControlAction, type ControlCommand } from '../../plugin/index.js';

const LINE = /^\s*\/([a-z]+)(?:[ \t]+(\S[^\n]*?))?\s*$/i;
const DECISION = /^([A-Za-z0-9_-]{1,64})(?:\s+(.+))?$/;
const ARGUMENT_UNITS = 500;

/** What a person wants of the host who writes `/stop` in a thread; null: the text is for the agent. */
export function commandIn(text: string): ControlAction | null {
  const [, word = '', rest] = LINE.exec(text) ?? [];
  const name = word.toLowerCase();
  if (name === 'approve' || name === 'deny') return decision(name, rest ?? '');
  if (!isCommand(name)) return null;
  return { type: 'command', name, ...(rest === undefined ? {} : { argument: rest.slice(0, ARGUMENT_UNITS).toWellFormed() }) };
}

function isCommand(name: string): name is ControlCommand {
  return (CONTROL_COMMANDS as readonly string[]).includes(name);
}

function decision(name: 'approve' | 'deny', rest: string): ControlAction | null {
  const [, approval, reason] = DECISION.exec(rest) ?? [];
  if (approval === undefined) return null;
  const why = reason === undefined ? {} : { reason: reason.slice(0, ARGUMENT_UNITS).toWellFormed() };
  return { type: 'decision', approval, decision: name, ...why };
}
