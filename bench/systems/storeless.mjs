// The product's own HTTP server and event endpoint with nothing behind them: it verifies, parses and answers, and stores nothing.
// What it accepts in a second is the most that any store could let the product accept.
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { loadHost } from '../../dist/src/compose/configured-host.js';
import { ConfiguredSources } from '../../dist/src/compose/event-sources.js';
import { createHttpApp } from '../../dist/src/http/create-http-app.js';
import { DatabaseClock, EventAdmission, EventSources } from '../../dist/src/ingress/event-source.js';
import { IngressModule } from '../../dist/src/ingress/ingress.module.js';
import { PluginHostModule } from '../../dist/src/plugin-host/plugin-host.module.js';
import { PluginRegistry } from '../../dist/src/plugin-host/plugin-registry.js';

/** As long as a real answer. */
const CONVERSATION = '00000000-0000-5000-8000-000000000000';
const ANSWER = {
  received: true,
  duplicate: false,
  receipt: '100000',
  disposition: 'routed',
  reason: null,
  matched: 1,
  deliveries: [{ route: 'comments', conversation: CONVERSATION, delivery: `${CONVERSATION}.1`, sequence: 1, state: 'pending' }],
  runs_created: [],
  conversations_continued: [],
};

const { host } = await loadHost({ cwd: process.cwd(), env: {} });
const plugins = PluginHostModule.using(host.plugins);

class Outside {}
Module({})(Outside);
const providers = [
  {
    provide: EventSources,
    inject: [PluginRegistry],
    useFactory: (registry) => new ConfiguredSources(host.config, host.connections, registry),
  },
  { provide: EventAdmission, useValue: { admit: async () => ANSWER } },
  { provide: DatabaseClock, useValue: { offsetMs: () => 0 } },
];
const outside = { module: Outside, global: true, imports: [plugins], providers, exports: providers };

const app = await createHttpApp(IngressModule.using([outside]), {}, 'quiet');
await app.listen(0, '127.0.0.1');
process.stdout.write(`Throughline listens on ${await app.getUrl()}\n`);
process.once('SIGTERM', () => process.exit(0));
