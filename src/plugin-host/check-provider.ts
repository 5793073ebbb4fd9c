import { ConfigFault, type ControlChannel, type Provider, type Transport } from '../plugin/index.js';

/** What each kind of transport cannot do without. */
const NEEDED: Readonly<Record<Transport['kind'], readonly string[]>> = {
  webhook: ['signature', 'deliveryId', 'eventKey'],
  stream: ['open'],
  poll: ['poll'],
};

export const TRANSPORT_KINDS = Object.keys(NEEDED) as readonly Transport['kind'][];

/** Whoever wrote the plugin in JavaScript was told nothing by a compiler. Throws `ConfigFault` naming the plugin and what it lacks. */
export function checkProvider(plugin: string, { transports, backfill, control }: Provider): void {
  const seen = new Set<string>();
  for (const transport of transports) {
    const needed = NEEDED[transport.kind];
    if (needed === undefined)
      throw new ConfigFault(
        `plugin ${plugin}: there is no transport of the kind ${transport.kind}; the kinds are ${TRANSPORT_KINDS.join(', ')}`,
      );
    if (seen.has(transport.kind)) throw new ConfigFault(`plugin ${plugin} has two transports of the kind ${transport.kind}`);
    seen.add(transport.kind);
    const lacking = needed.find((name) => typeof (transport as unknown as Record<string, unknown>)[name] !== 'function');
    if (lacking !== undefined)
      throw new ConfigFault(`plugin ${plugin}: its transport of the kind ${transport.kind} has no function ${lacking}`);
  }
  if (backfill !== undefined && typeof backfill.since !== 'function')
    throw new ConfigFault(`plugin ${plugin}: its backfill has no function since`);
  if (control !== undefined) checkControl(plugin, control);
}

const CONTROL_NEEDS = ['ensureThread', 'archive', 'unarchive', 'post', 'edit', 'findMarker'] as const;
/** Less leaves no room for anything to read. */
const LEAST = { title: 16, text: 100 };

function checkControl(plugin: string, control: ControlChannel): void {
  const lacking = CONTROL_NEEDS.find((name) => typeof control[name] !== 'function');
  if (lacking !== undefined) throw new ConfigFault(`plugin ${plugin}: its control has no function ${lacking}`);
  const { title, text } = control.limits;
  if (!(title >= LEAST.title && text >= LEAST.text))
    throw new ConfigFault(`plugin ${plugin}: its control must take titles of ${LEAST.title} and texts of ${LEAST.text} characters`);
}
