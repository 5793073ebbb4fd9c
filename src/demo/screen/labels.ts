import type { Answer } from '../post-step.js';
import type { Source } from '../script.js';
import type { Paint } from './screen.js';

const SOURCES: Readonly<Record<Source, { readonly icon: string; readonly name: string; readonly style: Paint }>> = {
  github: { icon: '●', name: 'GitHub', style: 'white' },
  linear: { icon: '◆', name: 'Linear', style: 'blueBright' },
  slack: { icon: '#', name: 'Slack', style: 'magentaBright' },
};

const PALETTE: readonly Paint[] = ['cyan', 'yellow', 'magenta', 'green', 'blue', 'redBright', 'cyanBright', 'yellowBright'];

export interface Label {
  readonly text: string;
  readonly style: Paint;
}

export function sourceLabel(source: Source, width: number): Label {
  const { icon, name, style } = SOURCES[source];
  return { text: width > 6 ? `${icon} ${name}` : name, style };
}

/** A colour for each conversation, in the order of their appearance. */
export function colourOf(index: number): Paint {
  return PALETTE[index % PALETTE.length] ?? 'white';
}

/** `[owner/name#1] Title` is `#1 Title` to people who look at one repository. */
export function shortTitle(title: string | null): string {
  return (title ?? 'untitled').replace(/^\[(?:[^\]#]*?(#\d+)|([A-Z]+-\d+)|[^\]]*)\] /, (_, number = '', identifier = '') =>
    `${number || identifier} `.trimStart(),
  );
}

/** What was decided, and why. */
export function decisionLabel({ decided, code, text }: Answer): Label {
  if (text !== null) return { text: 'answered: challenge', style: 'green' };
  if (decided === null) return { text: `✗ ${code}`, style: 'red' };
  if (decided.duplicate) return { text: 'duplicate', style: 'dim' };
  const reason = decided.reason === null ? '' : `: ${decided.reason}`;
  const said = decided.disposition === 'lifecycle' ? 'ended' : decided.disposition;
  return { text: said + reason, style: STYLES[decided.disposition] ?? 'white' };
}

const STYLES: Readonly<Record<string, Paint>> = {
  routed: 'green',
  lifecycle: 'magenta',
  ignored: 'yellow',
  recorded: 'yellow',
  unmatched: 'yellow',
};
