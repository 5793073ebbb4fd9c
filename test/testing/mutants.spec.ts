import { createHmac, randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  type AuthenticEvent,
  type Parsed,
  type PluginDefinition,
  type Provider,
  ProviderFault,
  type SignatureVerifier,
  type WebhookTransport,
} from 'throughline/plugin';
import linear from '../../plugins/linear/index.js';
import { LinearWebhook } from '../../plugins/linear/linear.webhook.js';
import tickets, { type TicketsConnection } from '../fakes/tickets/index.js';
import { samples } from '../fakes/tickets/samples.js';
import { but, failuresOf, mutant } from './mutants.js';
import { linearSamples } from './samples/linear.js';

type Tickets = Provider<TicketsConnection>;
type Webhook = WebhookTransport<TicketsConnection>;

const SECRET = 'the secret of the tickets';
const signatureOf = (body: string | Buffer, secret = SECRET) => createHmac('sha256', secret).update(body).digest('hex');

const webhookOf = ({ transports }: Provider<TicketsConnection>) => transports[0] as Webhook;
const otherWebhook = (change: (webhook: Webhook) => Partial<Webhook>) => (provider: Tickets) => ({
  transports: [but(webhookOf(provider), change(webhookOf(provider)))],
});
const verifier = (holds: (header: string | undefined, body: Buffer, secret: string) => boolean) =>
  otherWebhook(() => ({
    signature: (): SignatureVerifier => ({
      verify: ({ headers, body, secrets }) => {
        const header = headers['x-tickets-signature'];
        const index = [...secrets, ...(secrets.length === 0 ? [''] : [])].findIndex((secret) =>
          holds(typeof header === 'string' ? header : undefined, body, secret),
        );
        return index === -1 ? { ok: false, reason: 'invalid' } : { ok: true, secretIndex: index };
      },
    }),
  }));

type Event = AuthenticEvent<TicketsConnection>;
const otherParser = (parse: (event: Event, good: (event: Event) => Parsed) => Parsed) => (provider: Tickets) => ({
  subjects: { parse: (event: Event) => parse(event, (each) => provider.subjects.parse(each)) },
});
const otherKey = (key: (event: Event, parsed: Parsed) => string) =>
  otherParser((event, good) => {
    const parsed = good(event);
    return parsed.subject === null ? parsed : { ...parsed, subject: { ...parsed.subject, key: key(event, parsed) } };
  });
const otherTool =
  (change: (tool: NonNullable<Tickets['tools']>[number]) => Partial<NonNullable<Tickets['tools']>[number]>) => (provider: Tickets) => ({
    tools: (provider.tools ?? []).map((tool) => but(tool, change(tool))),
  });

let parses = 0;
const ticketOf = ({ payload }: Event) => (payload as { ticket: { id: number; title: string } }).ticket;

const MUTANTS: readonly [what: string, plugin: PluginDefinition<TicketsConnection>, fails: readonly string[]][] = [
  ['speaks another API', mutant(tickets, () => ({}), { apiVersion: 2 }), ['plugin: has a name, and speaks the API of this host']],
  [
    'has a poller that it does not tell of',
    mutant(tickets, ({ transports }) => ({
      transports: [...transports, { kind: 'poll', poll: async () => ({ events: [], cursor: '' }) }],
    })),
    ['plugin: receives events in the ways that it says, and in no others', 'plugin: has samples of everything that it has'],
  ],
  [
    'has a tool that nobody tries',
    mutant(tickets, ({ tools = [] }) => ({ tools: [...tools, ...tools.map((tool) => but(tool, { name: 'ticket_close' }))] })),
    ['plugin: has samples of everything that it has'],
  ],
  [
    'reads signatures in another encoding',
    mutant(
      tickets,
      otherWebhook(() => ({
        signature: () => ({ algorithm: 'hmac-sha256', signature: { header: 'x-tickets-signature', encoding: 'base64' } }),
      })),
    ),
    ['webhook: takes requests as the provider signs them'],
  ],
  [
    'verifies what it has parsed instead of the bytes',
    mutant(
      tickets,
      verifier((header, body, secret) => {
        try {
          return header === signatureOf(JSON.stringify(JSON.parse(body.toString())), secret);
        } catch {
          return false;
        }
      }),
    ),
    ['webhook: refuses a body that was changed'],
  ],
  [
    'knows its secret by heart',
    mutant(
      tickets,
      verifier((header, body) => header === signatureOf(body)),
    ),
    ['webhook: refuses what was signed with another secret'],
  ],
  [
    'asks for no signature where there is none',
    mutant(
      tickets,
      verifier((header, body, secret) => (header ?? signatureOf(body, secret)) === signatureOf(body, secret)),
    ),
    ['webhook: refuses a request without its signature, with two of them, or with something that is none'],
  ],
  [
    'makes up ids of deliveries',
    mutant(
      tickets,
      otherWebhook(() => ({ deliveryId: () => randomUUID() })),
    ),
    ['webhook: gives a delivery one id however often it is sent, and another delivery another'],
  ],
  [
    'takes the id of the webhook for that of the delivery',
    mutant(
      tickets,
      otherWebhook(() => ({ deliveryId: () => 'webhook-1' })),
    ),
    ['webhook: gives a delivery one id however often it is sent, and another delivery another'],
  ],
  [
    'calls every event the same',
    mutant(
      tickets,
      otherWebhook(() => ({ eventKey: () => 'event' })),
    ),
    ['webhook: names what a request brings'],
  ],
  [
    'trusts a body because it is signed',
    mutant(
      tickets,
      otherWebhook(() => ({ eventKey: ({ payload }) => `ticket.${(payload as { action: string }).action.trim()}` })),
    ),
    ['webhook: reads whatever is authentic, or refuses it as malformed'],
  ],
  [
    'ignores new tickets',
    mutant(
      tickets,
      otherParser((event, good) => {
        const parsed = good(event);
        return event.eventKey === 'ticket.opened' && parsed.subject ? { kind: 'ignored', reason: 'new', subject: parsed.subject } : parsed;
      }),
    ),
    ['parser: understands the samples'],
  ],
  [
    'counts what it has seen',
    mutant(
      tickets,
      otherParser((event, good) => ({ ...good(event), title: `event ${parses++}` })),
    ),
    ['parser: says the same of the same event, and leaves it as it is'],
  ],
  [
    'cleans up the payload',
    mutant(
      tickets,
      otherParser((event, good) => {
        const parsed = good(event);
        if (parsed.subject !== null) ticketOf(event).title = ticketOf(event).title.trim();
        return parsed;
      }),
    ),
    ['parser: says the same of the same event, and leaves it as it is'],
  ],
  [
    'looks at the clock',
    mutant(
      tickets,
      otherParser((event, good) => (Date.now() < 0 ? { kind: 'recorded', reason: 'early', subject: null } : good(event))),
    ),
    ['parser: looks at nothing but the event'],
  ],
  [
    'reads fields of what may be nothing',
    mutant(
      tickets,
      otherParser((event, good) =>
        String(ticketOf(event)?.title.length) === '' ? { kind: 'recorded', reason: 'x', subject: null } : good(event),
      ),
    ),
    ['parser: makes something of whatever it is given'],
  ],
  [
    'answers with what JSON does not keep',
    mutant(
      tickets,
      otherParser((event, good) => ({ ...good(event), occurredAt: undefined as unknown as string })),
    ),
    ['parser: understands the samples', 'parser: makes something of whatever it is given'],
  ],
  [
    'has a subject for each comment',
    mutant(
      tickets,
      otherKey(({ payload }) => `${JSON.stringify((payload as { comment?: object }).comment ?? 0)}`),
    ),
    ['parser: gives one subject to all events about one thing', 'parser: gives different subjects to different things'],
  ],
  [
    'knows tickets by their title',
    mutant(
      tickets,
      otherKey((event) => `${event.payload && ticketOf(event).title} ${ticketOf(event).id}`),
    ),
    ['parser: gives one subject to all events about one thing'],
  ],
  [
    'has one subject for all',
    mutant(
      tickets,
      otherKey(() => 'ticket'),
    ),
    ['parser: gives different subjects to different things'],
  ],
  [
    'never hears of an end',
    mutant(
      tickets,
      otherParser((event, good) => {
        const parsed = good(event);
        return parsed.observation === undefined ? parsed : { ...parsed, observation: { ...parsed.observation, state: 'open' } };
      }),
    ),
    ['parser: knows the beginning and the end of a thing'],
  ],
  [
    'proves its writes by half',
    mutant(
      tickets,
      otherTool(({ execute }) => ({ execute: async (...given) => ({ ids: { comment: (await execute(...given)).ids.comment ?? '' } }) })),
    ),
    ['writes: ticket_comment is proved by the same ids in its answer and in its event'],
  ],
  [
    'says something else each time',
    mutant(
      tickets,
      otherTool(({ scope }) => ({ scope: (...given) => ({ ...scope(...given), account: randomUUID() }) })),
    ),
    [
      'writes: ticket_comment says what it writes, the same each time',
      'writes: ticket_comment is proved by the same ids in its answer and in its event',
    ],
  ],
  [
    'calls every failure a refusal',
    mutant(
      tickets,
      otherTool(({ execute }) => ({
        execute: (...given) =>
          execute(...given).catch((cause: unknown) => Promise.reject(new ProviderFault('it failed', 'transient', null, { cause }))),
      })),
    ),
    ['writes: ticket_comment tells a refusal from a write that may have been done'],
  ],
  [
    'calls a refusal unknown',
    mutant(
      tickets,
      otherTool(({ execute }) => ({
        execute: (...given) => execute(...given).catch((cause: unknown) => Promise.reject(new Error('it failed', { cause }))),
      })),
    ),
    ['writes: ticket_comment tells a refusal from a write that may have been done'],
  ],
  [
    'never finds what it wrote',
    mutant(tickets, () => ({ effects: { find: async () => 'absent' } })),
    ['writes: ticket_comment is found where its answer was lost, and nowhere where it was not done'],
  ],
  [
    'finds what nobody wrote',
    mutant(tickets, () => ({ effects: { find: async () => ({ ids: { ticket: '7', comment: 'c1' } }) } })),
    ['writes: ticket_comment is found where its answer was lost, and nowhere where it was not done'],
  ],
];

describe('a plugin that', () => {
  it('does what the host relies on passes every check', async () => {
    expect(await failuresOf(tickets, samples)).toEqual([]);
  });

  it.each(MUTANTS)('%s fails the check that is about it', async (_what, plugin, fails) => {
    expect(await failuresOf(plugin, samples)).toEqual(fails);
  });

  it('takes old requests fails the check that is about it', async () => {
    const { timestamp: _, ...untimed } = new LinearWebhook().signature();
    const old = mutant(linear, ({ transports }) => ({ transports: transports.map((each) => but(each, { signature: () => untimed })) }));
    expect(await failuresOf(old, linearSamples)).toEqual(['webhook: refuses a request of another day, where it says when it was signed']);
  });
});
