import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, Module, Param } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createHttpApp } from '../../src/http/create-http-app.js';
import { Wire } from './wire.js';

@Controller('things')
class Things {
  @Get(':id') one(@Param('id') id: string) {
    return { id };
  }
}

@Module({ controllers: [Things] })
class ThingsModule {}

let app: NestFastifyApplication;
beforeAll(async () => {
  app = await createHttpApp(ThingsModule, {}, 'quiet');
  await app.listen(0, '127.0.0.1');
});
afterAll(() => app.close());

async function answerTo(...head: string[]): Promise<{ status: number; type: string; body: { code: string; detail: string } }> {
  const wire = await Wire.open(app);
  const text = await wire.send(...head, 'connection: close', '', '').closed();
  const [headers = '', body = ''] = text.split('\r\n\r\n');
  const type = /^content-type: (.*)$/im.exec(headers)?.[1] ?? '';
  return { status: Number(headers.split(' ')[1]), type, body: JSON.parse(body) as { code: string; detail: string } };
}

describe('ADM-2 what is refused by its first lines is worded like everything else', () => {
  it.each([
    ['no Host', ['GET /things/1 HTTP/1.1'], 400, 'missing_host'],
    ['no Host and no such address', ['GET /nowhere HTTP/1.1'], 400, 'missing_host'],
    ['an expectation that nobody meets', ['GET /things/1 HTTP/1.1', 'host: a', 'expect: a-miracle'], 417, 'expectation_failed'],
    ['an expectation at no address', ['GET /nowhere HTTP/1.1', 'host: a', 'expect: a-miracle'], 417, 'expectation_failed'],
  ])('with %s', async (_name, head, status, code) => {
    const answer = await answerTo(...head);
    expect(answer).toMatchObject({ status, body: { code } });
    expect(answer.type).toMatch('application/problem+json');
  });

  it('but HTTP/1.0 needs no Host, and 100-continue is met', async () => {
    expect(await answerTo('GET /things/1 HTTP/1.0')).toMatchObject({ status: 200 });
    const wire = await Wire.open(app);
    const text = await wire.send('GET /things/1 HTTP/1.1', 'host: a', 'expect: 100-continue', 'connection: close', '', '').closed();
    expect(text).toMatch(/^HTTP\/1\.1 100 Continue[\s\S]*HTTP\/1\.1 200/);
  });

  it.each([
    ['an address that is not there', '/nowhere/', 404],
    ['an address whose parameter is too long', '/things/', 414],
  ])('and says no long URL back, of %s', async (_name, prefix, status) => {
    const answer = await answerTo(`GET ${prefix}${'x'.repeat(3_000)} HTTP/1.1`, 'host: a');
    expect(answer.status).toBe(status);
    expect(answer.body.detail.length).toBeLessThan(300);
    const short = await answerTo('GET /nowhere/at-all HTTP/1.1', 'host: a');
    expect(short.body.detail).toContain('/nowhere/at-all');
  });
});
