import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { Metrics } from '../../src/admin/metrics/metrics.js';
import { Admissions } from '../../src/core/admission/admissions.js';
import { Operations } from '../../src/core/operations.js';
import { Signals } from '../../src/core/signals.js';
import type { Database } from '../../src/database/database.js';
import { eachDatabase, migrated } from '../databases.js';
import { adminApp, FixedHost } from './admin-host.js';
import { restPage } from './rest-page.js';

const PAGE = path.join(import.meta.dirname, '..', '..', 'docs', 'rest.md');
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

eachDatabase('the OpenAPI document', (make) => {
  let app: NestFastifyApplication;
  let document: OpenAPIObject;
  let close: () => Promise<void>;
  const served: string[] = [];

  beforeAll(async () => {
    const store = await migrated(make);
    close = store.close;
    app = await appOn(store.database);
    app
      .getHttpAdapter()
      .getInstance()
      .addHook('onRoute', ({ method, url }: { method: string | string[]; url: string }) => {
        for (const each of [method].flat()) if (METHODS.includes(each)) served.push(`${each} ${url.replace(/:(\w+)/g, '{$1}')}`);
      });
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
    document = (await app.inject({ url: '/openapi.json' })).json();
  });
  afterAll(async () => {
    await app.close();
    await close();
  });

  it('ADM-2 has each route of the application, and no other', () => {
    const described = Object.entries(document.paths).flatMap(([url, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${url}`),
    );
    const own = served.filter((each) => !/ \/(?:docs|openapi\.json)/.test(each));
    expect(own.length).toBeGreaterThan(25);
    expect(described.toSorted()).toEqual([...new Set(own)].toSorted());
  });

  it('ADM-2 says of every operation what it does and gives, and of every field what it means', () => {
    for (const [url, item] of Object.entries(document.paths))
      for (const [method, operation] of Object.entries(item as Record<string, any>)) {
        const answers = Object.entries(operation.responses).filter(([status]) => /^2(?!04)/.test(status)) as [string, any][];
        expect([url, method, operation.summary]).toEqual([url, method, expect.any(String)]);
        const hasContent = answers.map(([, { content }]) => content !== undefined);
        expect([url, method, hasContent]).toEqual([url, method, '204' in operation.responses ? [] : [true]]);
        for (const parameter of operation.parameters ?? [])
          if (parameter.in !== 'path')
            expect([url, parameter.name, parameter.description]).toEqual([url, parameter.name, expect.stringMatching(/\w/)]);
      }
    for (const [name, schema] of Object.entries(document.components?.schemas ?? {}) as [string, any][])
      for (const [field, property] of Object.entries(schema.properties ?? {}) as [string, any][])
        expect([name, field, property.description]).toEqual([name, field, expect.stringMatching(/\w/)]);
  });

  it('is open to all, and so is the page to try it', async () => {
    const page = await app.inject({ url: '/docs' });
    expect([page.statusCode, page.body]).toEqual([200, expect.stringContaining('Throughline API')]);
    expect((await app.inject({ url: '/docs/swagger-ui-bundle.js' })).statusCode).toBe(200);
  });

  it('docs/rest.md is current (else: UPDATE_GOLDEN=1 and this test)', () => {
    if (process.env['UPDATE_GOLDEN']) writeFileSync(PAGE, restPage(document));
    expect(readFileSync(PAGE, 'utf8')).toBe(restPage(document));
  });
});

describe('a reference of the document', () => {
  it('is made of its paths alone', () => {
    const page = restPage({
      openapi: '3.0.0',
      info: { title: 'T', version: '1' },
      paths: { '/x': { get: { summary: 'An x', responses: {} } } },
    });
    expect(page).toContain('### `GET /x`');
  });
});

function appOn(database: Database): Promise<NestFastifyApplication> {
  const signals = new Signals();
  const core = { database, signals, admissions: new Admissions(database, [], signals), operations: new Operations(database, signals) };
  return adminApp(core, new FixedHost(), new Metrics());
}
