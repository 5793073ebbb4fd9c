// A provider that writes down what it is told of ends, and in the file `stuck` is told to never answer.
import { appendFileSync, existsSync } from 'node:fs';
import { Injectable, Module } from '@nestjs/common';
import { definePlugin } from 'throughline/plugin';

class Options {}

class Told {
  transports = [
    {
      kind: 'webhook',
      signature: () => ({ algorithm: 'token', signature: { header: 'x-secret' } }),
      deliveryId: ({ headers }) => headers['x-delivery'] ?? null,
      eventKey: ({ payload }) => payload.event,
    },
  ];

  subjects = {
    parse({ payload: { key, event, second } }) {
      const subject = { namespace: 'told', key };
      if (event === 'said') return { kind: 'prompt', subject, text: 'said', author: { id: '1', name: 'ada', isBot: false } };
      const revision = new Date(second * 1000).toISOString();
      return { kind: 'lifecycle', subject, observation: { state: 'terminal', revision, transition: true }, context: { key } };
    },
  };

  lifecycle = {
    async settle({ identity, context, fence }) {
      appendFileSync(
        'told.log',
        `${existsSync('stuck') ? 'begun' : 'done'} ${identity.deliveryId} ${context.key} ${await fence.holds()}\n`,
      );
      if (existsSync('stuck')) await new Promise(() => {});
    },
  };
}

class ToldModule {}
Injectable()(Told);
Module({ providers: [Told], exports: [Told] })(ToldModule);

export default definePlugin({ name: 'told', apiVersion: 1, options: Options, module: ToldModule, provider: Told });
