import { CONTROL_COMMANDS, type ControlAction, type ControlCommand } from 'throughline/plugin';

/** Longest `custom_id` that Discord takes, in UTF-16 units. */
const LONGEST_CUSTOM_ID = 100;

const APPROVAL = /^[A-Za-z0-9_-]{1,64}$/;

/** What a button carries and gives back when it is pressed; null where it does not fit. */
export function customIdOf(action: ControlAction): string | null {
  const parts =
    action.type === 'decision'
      ? ['appr', action.approval, action.decision]
      : ['ctl', action.name, ...(action.argument === undefined ? [] : [action.argument])];
  const id = parts.join(':');
  return id.length <= LONGEST_CUSTOM_ID ? id : null;
}

/** The action of a button of ours; nothing for what is none. */
export function actionOf(customId: unknown): ControlAction | undefined {
  if (typeof customId !== 'string') return undefined;
  const [kind, name, ...rest] = customId.split(':');
  if (kind === 'appr') {
    const [decision, ...more] = rest;
    return (decision === 'approve' || decision === 'deny') && more.length === 0 ? decisionOf(decision, name) : undefined;
  }
  if (kind !== 'ctl' || !isCommand(name)) return undefined;
  return { type: 'command', name, ...(rest.length === 0 ? {} : { argument: rest.join(':') }) };
}

/** A decision about an approval, where its id can be one. */
export function decisionOf(decision: 'approve' | 'deny', approval: unknown, reason?: string): ControlAction | undefined {
  if (typeof approval !== 'string' || !APPROVAL.test(approval)) return undefined;
  return { type: 'decision', approval, decision, ...(reason === undefined ? {} : { reason }) };
}

export function isCommand(name: unknown): name is ControlCommand {
  return (CONTROL_COMMANDS as readonly unknown[]).includes(name);
}
