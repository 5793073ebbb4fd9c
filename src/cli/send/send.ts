import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { columns } from '../columns.js';
import type { ConfigOption } from '../config-option.js';
import { FAILED, messageOf } from '../exit-code.js';
import type { Run } from '../run.js';
import type { SignedRequest } from '../signing/signed-request.js';
import { say, type Terminal } from '../terminal.js';
import { UsageFault } from '../usage-fault.js';
import { isOk, rowsOf, type SendAnswer } from './answer.js';
import { type Destination, destinationOf } from './destination.js';

export interface SendOptions extends ConfigOption {
  readonly payload: string;
  readonly event?: string;
  readonly delivery?: string;
  readonly secret?: string;
  readonly url?: string;
  readonly provider?: string;
  readonly signature?: string;
  readonly header: Readonly<Record<string, string>>;
  readonly times: number;
}

const TIMEOUT_MS = 30_000;

export async function send(source: string, options: SendOptions, run: Run): Promise<void> {
  const { terminal } = run;
  const body = payloadIn(options.payload, terminal);
  const destination = await destinationOf(source, options, terminal);
  if (destination.provider === 'github' && !options.event) {
    throw new UsageFault('--event is missing: GitHub names the event in a header, not in the body; for example --event issue_comment');
  }
  // Every time the same one, as of a provider that tries again; only Slack has its own in the body.
  const deliveryId = options.delivery ?? (destination.provider === 'slack' ? undefined : randomUUID());
  for (let sent = 0; sent < options.times; sent++) {
    // A provider that tries again signs again: the clock goes on.
    const { headers, body: signed } = destination.sign({ body, event: options.event, deliveryId });
    const answer = await post(destination, { headers: { ...headers, ...options.header }, body: signed });
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
