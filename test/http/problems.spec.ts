import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BadRequestException, Body, Controller, Get, Module, Post } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createHttpApp } from '../../src/http/create-http-app.js';
import { Conflict, InvalidInput } from '../../src/plugin/index.js';

@Controller('things')
class Things {
  @Post() echo(@Body() body: unknown) {
    return { body: body ?? null };
  }

  @Get('conflict') conflict() {
    throw new Conflict('somebody else was first');
  }

  @Get('faults') faults() {
    throw new InvalidInput('two things are wrong', [{ path: 'name', message: 'is missing' }]);
  }

  @Get('nest') nest() {
    throw new BadRequestException(['name must be a string']);
  }

  @Get('broken') broken() {
    throw Object.assign(new Error('secret=hunter2'), { statusCode: 502 });
  }
}

@Module({ controllers: [Things] })
class ThingsModule {}

let app: NestFastifyApplication;
beforeAll(async () => {
  app = await createHttpApp(ThingsModule, { bodyLimit: 1_000, publicUrl: 'https://public.example.test' }, 'quiet');
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
});
afterAll(() => app.close());

const get = (url: string) => app.inject({ method: 'GET', url });
const post = (payload: string, type = 'application/json', url = '/things') =>
  app.inject({ method: 'POST', url, payload, headers: { 'content-type': type } });

describe('ADM-2 every error is problem details with a stable code', () => {
  it('has exactly the members of RFC 9457, our code and the faults', async () => {
    const answer = await get('/things/faults');
    expect(answer.headers['content-type']).toBe('application/problem+json; charset=utf-8');
    expect(answer.json()).toEqual({
      type: 'urn:throughline:problem:invalid_input',
      title: 'Invalid input',
      status: 400,
      detail: 'two things are wrong',
      code: 'invalid_input',
      instance: `urn:uuid:${answer.headers['x-request-id']}`,
      errors: [{ path: 'name', message: 'is missing' }],
    });
  });

  it.each([
    ['our own', () => get('/things/conflict'), 409, 'conflict'],
    ["Nest's", () => get('/things/nest'), 400, 'bad_request'],
    ['an unknown address', () => get('/nowhere'), 404, 'not_found'],
    ['an unknown address with a strange body', () => post('<a/>', 'text/xml', '/nowhere'), 404, 'not_found'],
    ['an address that cannot be decoded', () => get('/things/%E0%A4%A'), 400, 'bad_request'],
    ['malformed JSON', () => post('{"a":'), 400, 'invalid_json'],
    ['JSON that nests too deep', () => post('['.repeat(800)), 400, 'invalid_json'],
    ['another type than JSON', () => post('a=1', 'text/plain'), 415, 'unsupported_media_type'],
    ['a malformed type', () => post('a=1', 'nonsense'), 415, 'unsupported_media_type'],
    ['a body that is too large', () => post(JSON.stringify('x'.repeat(2_000))), 413, 'body_too_large'],
  ])('words %s', async (_name, send, status, code) => {
    const answer = await send();
    expect(answer.headers['content-type']).toMatch('application/problem+json');
    expect(answer.json()).toMatchObject({ status, code, type: `urn:throughline:problem:${code}` });
    expect(answer.statusCode).toBe(status);
  });

  it('tells nothing of an error that nobody expected, whatever status it claims', async () => {
    const answer = await get('/things/broken');
    expect(answer.json()).toMatchObject({ status: 500, code: 'internal' });
    expect(answer.body).not.toMatch('hunter2');
  });
});

describe('ING-1 bodies of the API', () => {
  it('are JSON, and may be missing', async () => {
    expect((await post('{"a":[1]}', 'application/merge-patch+json')).json()).toEqual({ body: { a: [1] } });
    expect((await app.inject({ method: 'POST', url: '/things' })).json()).toEqual({ body: null });
  });

  it('refuse keys that reach for a prototype', async () => {
    for (const body of ['{"__proto__":{"admin":true}}', '{"a":{"constructor":{"prototype":{}}}}', '[{"__proto__":1}]']) {
      expect((await post(body)).json()).toMatchObject({ status: 400, code: 'invalid_json' });
    }
  });
});

describe('ADM-1 headers of every answer', () => {
  it('keep browsers from doing harm', async () => {
    const { headers } = await get('/nowhere');
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'strict-transport-security': 'max-age=31536000',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    });
  });
});
