import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';
import { type Fields, fieldsOf, parsed } from '../process/agent-event.js';
import type { AgentProcess } from '../process/agent-process.js';
import { type Line, LineSplitter } from '../process/lines.js';

/** Edits of whole files come in one line. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

/** Hears what an agent says beside its answers, in the order in which it says it. */
export interface StreamListener {
  /** The parameters of a `session/update`. */
  update(params: Fields): void;
  /** A line that is nothing of the protocol. */
  noise(line: string): void;
}

/**
 * The messages that are exchanged with an agent over its pipes. Updates are taken out here: their order with the answer that ends the turn
 * is that of the lines, and nothing an agent may send in them is the connection's trouble.
 */
export function agentStream(agent: AgentProcess, listener: StreamListener): Stream {
  const asked = new Set<unknown>();
  return {
    readable: ReadableStream.from(messages(agent, asked, listener)),
    writable: new WritableStream<AnyMessage>({
      write(message) {
        if ('method' in message && 'id' in message) asked.add(message.id);
        return agent.write(`${JSON.stringify(message)}\n`);
      },
    }),
  };
}

async function* messages(agent: AgentProcess, asked: Set<unknown>, listener: StreamListener): AsyncGenerator<AnyMessage> {
  const lines = new LineSplitter(MAX_LINE_BYTES);
  for await (const chunk of agent.chunks(() => {})) {
    for (const line of lines.push(chunk)) {
      const message = messageOf(line, asked, listener);
      if (message !== null) yield message;
    }
  }
}

function messageOf(line: Line, asked: Set<unknown>, listener: StreamListener): AnyMessage | null {
  if (line.text.trim() === '') return null;
  const fields = line.cut ? null : parsed(line.text);
  if (fields?.['jsonrpc'] !== '2.0') {
    listener.noise(line.text);
    return null;
  }
  if (!('id' in fields)) {
    const params = fieldsOf(fields['params']);
    if (fields['method'] === 'session/update' && params !== null) listener.update(params);
    return fields['method'] === '$/cancel_request' ? (fields as AnyMessage) : null;
  }
  // An answer to what was not asked has nobody who waits for it.
  return 'method' in fields || asked.delete(fields['id']) ? (fields as AnyMessage) : null;
}
