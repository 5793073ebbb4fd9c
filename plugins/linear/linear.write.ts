import { type Connection, ProviderFault } from 'throughline/plugin';
import { type Fields, fields } from './json.js';
import { askLinear, faultOf, Refusal } from './linear.client.js';
import type { LinearConnection } from './linear.options.js';

const PATIENCE_MS = 30_000;

/** One mutation. Throws `ProviderFault` when surely nothing was written; whatever else it throws means that nobody knows. */
export async function writeLinear(document: string, values: Fields, connection: Connection<LinearConnection>): Promise<Fields> {
  if (connection.options.token === undefined)
    throw new ProviderFault(`connections.${connection.name} has no \`token\`, so nothing can be written`, 'unauthorized');
  try {
    const answer = await askLinear('write', document, values, connection, AbortSignal.timeout(PATIENCE_MS));
    if (Object.values(answer).some((payload) => fields(payload)?.success === false))
      throw new Refusal('invalid', 'Linear says that it did not');
    return answer;
  } catch (error) {
    throw error instanceof Refusal ? faultOf(error, connection.name) : error;
  }
}
