import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { columns } from '../columns.js';
import { type ConfigOption, withConfigOption } from '../configuration.js';
import { FAILED, messageOf } from '../exit-code.js';
import type { Run } from '../run.js';
import { isOk, rowsOf, type SendAnswer } from '../send/answer.js';
import { type Destination, destinationOf } from '../send/destination.js';
import { type SignedRequest, signedRequest } from '../signing/signed-request.js';
import { say, type Terminal } from '../terminal.js';
import { UsageFault } from '../usage-fault.js';

export interface SendOptions extends ConfigOption {
  readonly payload: string;
  readonly event?: string;
  readonly delivery?: string;
  readonly secret?: string;
  readonly url?: string;
  readonly provider?: string;
  readonly times: number;
}

const TIMEOUT_MS = 30_000;

export function addSend(root: Command, run: Run): void {
  withConfigOption(root.command('send'))
    .description('send a recorded event to a server, signed as its provider signs it')
    .argument('<org/source>', 'organisation and connection, for example default/github')
    .requiredOption('--payload <file>', 'the body of the event')
    .option('--event <event>', 'its name, where the provider sends it in a header (github: issue_comment)')
    .option('--delivery <id>', 'its delivery id (default: a fresh one)')
    .option('--secret <secret>', 'sign with this (default: the newest secret of the connection)')
    .option('--provider <name>', 'sign as this provider does (default: as the connection’s plugin says)')
    .option('--url <url>', 'address of the server (default: the one that the configuration describes)')
    .option('--times <n>', 'send the same delivery so often, one after the other', timesOf, 1)
    .action((source: string, options: SendOptions) => send(source, options, run));
}

function timesOf(text: string): number {
  const times = Number(text);
  if (!Number.isInteger(times) || times < 1 || times > 10_000) throw new InvalidArgumentError('It must be a whole number from 1 to 10000.');
  return times;
}

async function send(source: string, options: SendOptions, run: Run): Promise<void> {
  const { terminal } = run;
  const body = payloadIn(options.payload, terminal);
  const destination = await destinationOf(source, options, terminal);
  const { provider, secret } = destination;
  if (provider === 'github' && !options.event) {
    throw new UsageFault('--event is missing: GitHub names the event in a header, not in the body; for example --event issue_comment');
  }
  const first = signedRequest(provider, { body, secret, event: options.event, deliveryId: options.delivery });
  const deliveryId = options.delivery ?? first.headers['x-github-delivery'] ?? first.headers['linear-delivery'];
  for (let sent = 0; sent < options.times; sent++) {
    // A provider that tries again signs again: the clock goes on.
    const answer = await post(destination, signedRequest(provider, { body, secret, event: options.event, deliveryId }));
    for (const line of columns(rowsOf(answer))) say(terminal, line);
    if (!isOk(answer)) run.exitCode = FAILED;
  }
}

function payloadIn(file: string, { cwd }: Terminal): Buffer {
  try {
    return readFileSync(resolve(cwd, file));
  } catch (cause) {
    throw new UsageFault(`--payload: ${file} cannot be read (${(cause as NodeJS.ErrnoException).code ?? messageOf(cause)})`, { cause });
  }
}

async function post({ url }: Destination, { headers, body }: SignedRequest): Promise<SendAnswer> {
  try {
    const response = await fetch(url, { method: 'POST', headers, body: new Uint8Array(body), signal: AbortSignal.timeout(TIMEOUT_MS) });
    return { status: response.status, text: await response.text() };
  } catch (cause) {
    throw new Error(`${url} cannot be reached: ${messageOf(cause)}; is the server running? \`throughline start\` starts it`, { cause });
  }
}
