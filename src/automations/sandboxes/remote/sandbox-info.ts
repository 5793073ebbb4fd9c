import { ProviderFault } from '../../../plugin/index.js';
import type { SandboxHealth } from '../sandbox-kind.js';

type Fields = Readonly<Record<string, unknown>>;

const AGENT_SERVER = 'AGENT_SERVER';

/** The id of a sandbox that was just made. */
export function idOf(answer: unknown): string {
  const { id } = fieldsOf(answer);
  if (typeof id === 'string' && id !== '') return id;
  throw new ProviderFault('the sandbox API answered without the id of what it made', 'permanent');
}

/** How the sandbox is, by the list that was asked for it. What is not in the list is gone. */
export function healthOf(answer: unknown, id: string): SandboxHealth {
  if (!Array.isArray(answer)) throw new ProviderFault('the sandbox API answered with something that is no list of sandboxes', 'permanent');
  const found = answer.map(fieldsOf).find((each) => each['id'] === id);
  if (found === undefined) return { state: 'gone', reason: 'the sandbox API does not know it' };
  switch (found['status']) {
    case 'RUNNING':
      return placeOf(found);
    case 'STARTING':
      return { state: 'starting' };
    case 'PAUSED':
      return { state: 'paused' };
    case 'ERROR':
    case 'MISSING':
      return { state: 'gone', reason: failureOf(found) };
    default:
      return { state: 'unknown', reason: `the sandbox API calls it ${JSON.stringify(found['status'])}` };
  }
}

function placeOf(found: Fields): SandboxHealth {
  const urls = Array.isArray(found['exposed_urls']) ? found['exposed_urls'].map(fieldsOf) : [];
  const url = urls.find(({ name }) => name === AGENT_SERVER)?.['url'];
  if (typeof url !== 'string' || !/^https?:\/\//.test(url) || !URL.canParse(url))
    return { state: 'gone', reason: `it runs without an address of the kind ${AGENT_SERVER}` };
  const key = found['session_api_key'];
  return { state: 'ready', place: { url: url.replace(/\/+$/, ''), apiKey: typeof key === 'string' ? key : null } };
}

function failureOf({ status, error_code: code, error_message: message }: Fields): string {
  const said = [code, message].filter((text) => typeof text === 'string' && text !== '').join(': ');
  return said === '' ? `the sandbox API calls it ${status}` : `${status}: ${said}`;
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}
