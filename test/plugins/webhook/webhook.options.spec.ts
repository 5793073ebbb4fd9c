import { describe, expect, it } from '@jest/globals';
import { Test } from '@nestjs/testing';
import { PLUGIN_API_VERSION } from 'throughline/plugin';
import webhook, { WebhookProvider } from '../../../plugins/webhook/index.js';
import { senders } from '../../../plugins/webhook/senders.js';
import { validateOptions } from '../../../src/config/validate-options.js';
import { isPresetName } from '../../../src/plugin/signatures/presets.js';

const faultsOf = (options: Record<string, unknown>) =>
  validateOptions(webhook.options, options, 'connections.desk').faults.map(({ path, message }) => `${path}: ${message}`);

describe('the webhook plugin', () => {
  it('is loaded by its name and gives its provider to the host', async () => {
    expect(webhook).toMatchObject({ name: 'webhook', apiVersion: PLUGIN_API_VERSION });
    const module = await Test.createTestingModule({ imports: [webhook.module] }).compile();
    expect(module.get(webhook.provider)).toBeInstanceOf(WebhookProvider);
  });

  it('needs no options, and takes every one that there is', () => {
    expect(faultsOf({})).toEqual([]);
    expect(
      faultsOf({
        ...{ signature: { algorithm: 'hmac-sha512', signature: { header: 'x-sig', encoding: 'base64' } }, format: 'json' },
        ...{ eventKey: [{ header: 'x-kind' }, 'action'], deliveryId: { header: ['x-id', 'x-request-id'] }, uniqueBodies: true },
        ...{ namespace: 'desk:acme', subject: 'ticket.id', text: 'comment.text', title: 'ticket.title', url: 'ticket.url' },
        ...{ author: '{id: user.id, name: user.name, bot: user.bot}', messageKey: 'comment.id', occurredAt: 'at', revision: 'version' },
        ...{ terminal: "regex(action, '^(close|merge)d?$')", open: "action == 'open'", reason: 'state' },
      }),
    ).toEqual([]);
    expect(faultsOf({ signature: 'none' })).toEqual([]);
  });

  it('AUT-2 SIG-2 refuses what could never be right when it is loaded, each with its path', () => {
    expect(
      faultsOf({
        ...{ signature: 'strype', signatureHeader: 'a b', format: 'xml', uniqueBodies: 'yes', namespace: '' },
        ...{ eventKey: ['type', { headers: 'x' }], deliveryId: [], subject: 'ticket.', title: 'lenght(title)', url: 'join(a)' },
        ...{ terminal: "regex(state, '(closed')", open: '   ', author: 7, subjekt: 'x' },
      }).sort(),
    ).toEqual([
      'connections.desk.author: must be a JMESPath expression, written as a text',
      'connections.desk.deliveryId: must not be an empty list',
      expect.stringContaining(
        'connections.desk.eventKey: has at place 1 something that must be a JMESPath expression, or { header: name }',
      ),
      'connections.desk.format: must be json or cloudevents',
      expect.stringMatching(/^connections\.desk\.namespace: /),
      'connections.desk.open: is empty',
      expect.stringMatching(/^connections\.desk\.signature: .*is no signature preset; use one of .*stripe/),
      'connections.desk.signatureHeader: must be the name of a header',
      expect.stringMatching(/^connections\.desk\.subject: does not parse/),
      expect.stringMatching(/^connections\.desk\.subjekt: unknown key/),
      expect.stringContaining('connections.desk.terminal: calls regex() with a pattern that has "(" without ")"'),
      'connections.desk.title: calls lenght(), which does not exist',
      'connections.desk.uniqueBodies: must be true or false',
      'connections.desk.url: calls join() with 1 arguments; it takes 2',
    ]);
  });

  it('says of a scheme in parameters where each of its faults is', () => {
    const [fault] = faultsOf({ signature: { algorithm: 'md5', signature: { encoding: 'hex' }, content: '{timestamp}' } });
    for (const part of ['algorithm must be one of', 'signature.header is missing', 'content must contain {body}'])
      expect(fault).toContain(part);
  });

  it('has presets for senders whose signature it knows, all of which load', () => {
    for (const [name, sender] of senders) {
      expect(isPresetName(name)).toBe(true);
      expect(faultsOf({ signature: name, ...sender })).toEqual([]);
    }
  });
});
