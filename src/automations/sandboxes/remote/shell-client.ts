import { OutcomeUnknown, ProviderFault } from '../../../plugin/index.js';
import type { AgentServerPlace } from '../../../runtimes/agent-server/agent-servers.js';
import type { CommandStatus } from '../sandbox-kind.js';
import { type ApiCall, callApi, PATIENCE, type Patience } from './api-call.js';

const TIMEOUT_MS = 60_000;
const UPLOAD_MS = 300_000;
/** Of what a command printed, so many parts are looked at, the newest. */
const PAGE = 100;
const KEPT_CHARACTERS = 16 * 1024;

type Fields = Readonly<Record<string, unknown>>;

/** Files and commands in a sandbox, through its agent server. */
export class ShellClient {
  constructor(
    private readonly place: AgentServerPlace,
    private readonly patience: Patience = PATIENCE,
  ) {}

  /** `file` is an absolute path. What is there is overwritten. */
  async upload(file: string, content: Blob, signal: AbortSignal): Promise<void> {
    const body = new FormData();
    body.set('file', content, 'file');
    await this.call('POST', `/file/upload?path=${encodeURIComponent(file)}`, { body, timeoutMs: UPLOAD_MS }, signal);
  }

  /** Waits for its end. Throws where it did not go well. */
  async execute(command: string, signal: AbortSignal): Promise<void> {
    const body = JSON.stringify({ command, timeout: TIMEOUT_MS / 1000 });
    const { exit_code: code } = fieldsOf(
      await this.call('POST', '/bash/execute_bash_command', { body, timeoutMs: 2 * TIMEOUT_MS }, signal),
    );
    if (code !== 0) throw new ProviderFault(`a command in the sandbox ended with ${JSON.stringify(code)}`, 'transient');
  }

  /** Resolves to its id. Where nobody knows whether it was begun it is looked for, so that it is never begun twice. */
  async start(command: string, timeoutMs: number, signal: AbortSignal): Promise<string> {
    const body = JSON.stringify({ command, timeout: Math.ceil(timeoutMs / 1000) });
    try {
      return textOf(fieldsOf(await this.call('POST', '/bash/start_bash_command', { body, timeoutMs: TIMEOUT_MS }, signal)), 'id');
    } catch (error) {
      if (!(error instanceof OutcomeUnknown)) throw error;
      const begun = (await this.events('BashCommand', {}, signal)).find((event) => event['command'] === command);
      if (begun === undefined) throw error;
      return textOf(begun, 'id');
    }
  }

  async status(command: string, signal: AbortSignal): Promise<CommandStatus> {
    const outputs = (await this.events('BashOutput', { command_id__eq: command }, signal)).toSorted((a, b) => orderOf(a) - orderOf(b));
    const last = outputs.findLast(({ exit_code: code }) => typeof code === 'number');
    if (last === undefined) return { state: 'running' };
    const code = last['exit_code'] as number;
    return { state: 'exited', code: code === -1 ? null : code, stdout: ended(outputs, 'stdout'), stderr: ended(outputs, 'stderr') };
  }

  private async events(kind: string, filter: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Fields[]> {
    const query = new URLSearchParams({ kind__eq: kind, sort_order: 'TIMESTAMP_DESC', limit: String(PAGE), ...filter });
    const { items } = fieldsOf(await this.call('GET', `/bash/bash_events/search?${query}`, { timeoutMs: TIMEOUT_MS }, signal));
    if (!Array.isArray(items)) throw new ProviderFault('the agent server answered a search of commands without a list', 'permanent');
    return items.map(fieldsOf);
  }

  private call(method: 'GET' | 'POST', path: string, how: Pick<ApiCall, 'body' | 'timeoutMs'>, signal: AbortSignal): Promise<unknown> {
    const { url, apiKey } = this.place;
    const headers = {
      accept: 'application/json',
      ...(typeof how.body === 'string' ? { 'content-type': 'application/json' } : {}),
      ...(apiKey === null ? {} : { 'x-session-api-key': apiKey }),
    };
    const what = `${method} /api${path.split('?')[0]} of the sandbox's agent server`;
    return callApi({ ...how, method, url: `${url}/api${path}`, what, headers }, this.patience, signal);
  }
}

function ended(outputs: readonly Fields[], stream: 'stdout' | 'stderr'): string {
  const texts = outputs.map((output) => output[stream]).filter((text) => typeof text === 'string');
  return texts.join('').slice(-KEPT_CHARACTERS).toWellFormed();
}

function orderOf({ order }: Fields): number {
  return typeof order === 'number' ? order : 0;
}

function textOf(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new ProviderFault(`the agent server answered a command without its ${name}`, 'permanent');
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}
