import { type Command, InvalidArgumentError } from 'commander';
import { withConfigOption } from '../config-option.js';
import type { Run } from '../run.js';
import type { SendOptions } from '../send/send.js';

export function addSend(root: Command, run: Run): void {
  withConfigOption(root.command('send'))
    .description('send a recorded event to a server, signed as its provider signs it')
    .argument('<org/source>', 'organisation and connection, for example default/github')
    .requiredOption('--payload <file>', 'the body of the event')
    .option('--event <event>', 'its name, where the sender has it in a header (github: issue_comment)')
    .option('--delivery <id>', 'its delivery id (default: a fresh one)')
    .option('--secret <secret>', 'sign with this (default: the newest secret of the connection)')
    .option('--provider <name>', 'sign as this provider does (default: as the connection’s plugin says)')
    .option('--signature <preset>', 'sign by this scheme, for a webhook that was made through the API (default: that of the connection)')
    .option('--header <name: value>', 'send this header as well; may be said several times', headersOf, {})
    .option('--url <url>', 'address of the server (default: the one that the configuration describes)')
    .option('--times <n>', 'send the same delivery so often, one after the other', timesOf, 1)
    .action(async (source: string, options: SendOptions) => (await import('../send/send.js')).send(source, options, run));
}

function timesOf(text: string): number {
  const times = Number(text);
  if (!Number.isInteger(times) || times < 1 || times > 10_000) throw new InvalidArgumentError('It must be a whole number from 1 to 10000.');
  return times;
}

function headersOf(text: string, known: Readonly<Record<string, string>>): Record<string, string> {
  const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}):[ \t]*([\t\x20-\x7e]*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError('It must be a header, as in `x-kind: ping`.');
  return { ...known, [name.toLowerCase()]: value };
}
