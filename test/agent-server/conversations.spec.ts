import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ACP, Served } from './served.js';

jest.setTimeout(60_000);

let served: Served;
let id: string;
beforeEach(async () => {
  served = await new Served().start();
  id = randomUUID();
});
afterEach(() => served.remove());

describe('a conversation of the agent server', () => {
  it('AUT-5 is made once under its id, whatever is asked the second time, and begins nothing by that', async () => {
    const first = await served.open(id, { kind: 'echo' }, { title: 'One', tags: { run: 'r1' } });
    expect([first.status, first.body]).toEqual([
      201,
      expect.objectContaining({ id, execution_status: 'idle', title: 'One', tags: { run: 'r1' } }),
    ]);
    const again = await served.open(
      id.toUpperCase(),
      { kind: 'acp', command: ['x'] },
      { title: 'Two', initial_message: { content: [{ type: 'text', text: 'hi' }] } },
    );
    expect([again.status, again.body.title, again.body.agent.kind]).toEqual([200, 'One', 'echo']);
    expect(await served.said(id)).toEqual([]);
  });

  it('begins with its first message, and answers every further one in its order', async () => {
    await served.open(id, { kind: 'echo' }, { initial_message: { content: [{ type: 'text', text: 'one' }] } });
    await served.rests(id, 'finished');
    for (const text of ['two', 'three']) await served.say(id, text);
    await served.rests(id, 'finished');
    const said = await served.said(id);
    expect(said.filter((line) => line.startsWith('user'))).toEqual(['user: one', 'user: two', 'user: three']);
    expect(said.filter((line) => line.startsWith('agent')).join('\n')).toMatch(/one[\s\S]*two[\s\S]*three/);
    expect((await served.ask('GET', `/api/conversations/${id}/agent_final_response`)).body.response).toContain('three');
  });

  it('AUT-5 takes a message id once, and says that it had it', async () => {
    await served.open(id);
    const message = randomUUID();
    expect((await served.say(id, 'once', { message_id: message })).body).toEqual({ success: true, event_id: message, duplicate: false });
    await served.rests(id, 'finished');
    expect((await served.say(id, 'once', { message_id: message })).body).toEqual({ success: true, event_id: message, duplicate: true });
    await served.rests(id, 'finished');
    expect((await served.said(id)).filter((line) => line === 'user: once')).toHaveLength(1);
  });

  it('does not begin for a message that is only to be kept, and works on it with the next one', async () => {
    await served.open(id);
    await served.say(id, 'quietly', { run: false });
    expect(await served.status(id)).toBe('idle');
    await served.say(id, 'now');
    await served.rests(id, 'finished');
    expect((await served.said(id)).at(-1)).toMatch(/quietly[\s\S]*now/);
    await served.say(id, 'again quietly', { run: false });
    expect(await served.status(id)).toBe('idle');
    expect((await served.ask('POST', `/api/conversations/${id}/run`)).status).toBe(200);
    await served.rests(id, 'finished');
  });

  it('a pause stops the turn, keeps what was not done, and lasts until it is told to run', async () => {
    await served.open(id, ACP);
    await served.say(id, '!hang');
    await served.rests(id, 'running');
    expect((await served.ask('POST', `/api/conversations/${id}/run`)).status).toBe(409);
    expect((await served.ask('POST', `/api/conversations/${id}/pause`)).body).toEqual({ success: true });
    expect(await served.status(id)).toBe('paused');
    await served.say(id, '!say later', { run: false });
    expect(await served.status(id)).toBe('paused');
    expect(await served.kinds(id)).toContain('PauseEvent');
  });

  it('waits for a person where its agent asks, and goes on by their word', async () => {
    for (const [accept, ending] of [
      [true, '[opt-allow_once]'],
      [false, '[opt-reject_once]'],
    ] as const) {
      const own = randomUUID();
      await served.open(own, ACP);
      await served.say(own, '!ask rm');
      await served.rests(own, 'waiting_for_confirmation');
      const answer = await served.ask('POST', `/api/conversations/${own}/events/respond_to_confirmation`, { accept });
      expect(answer.body).toEqual({ success: true });
      await served.rests(own, 'finished');
      expect((await served.said(own)).at(-1)).toBe(`agent: ${ending}`);
      expect((await served.ask('POST', `/api/conversations/${own}/events/respond_to_confirmation`, { accept })).status).toBe(400);
    }
  });

  it('REC-1 is as it was after a restart, and an agent that was at work is to be run again, on the same messages', async () => {
    await served.open(id, ACP);
    await served.say(id, '!say hello');
    await served.rests(id, 'finished');
    await served.say(id, '!hang');
    await served.rests(id, 'running');
    await served.stop();
    await served.start();
    expect(await served.status(id)).toBe('error');
    expect(await served.said(id)).toEqual(['user: !say hello', 'agent: hello', 'user: !hang']);
    expect((await served.ask('POST', `/api/conversations/${id}/run`)).status).toBe(200);
    await served.rests(id, 'running');
    await served.ask('POST', `/api/conversations/${id}/interrupt`);
    expect(await served.status(id)).toBe('paused');
  });

  it('REC-1 leaves out the end of a line that a crash has cut off', async () => {
    await served.open(id);
    await served.say(id, 'one');
    await served.rests(id, 'finished');
    await served.stop();
    appendFileSync(path.join(served.folder, 'conversations', id, 'log.jsonl'), '{"event":{"id":"tor');
    await served.start();
    await served.say(id, 'two');
    await served.rests(id, 'finished');
    expect((await served.said(id)).filter((line) => line.startsWith('user'))).toEqual(['user: one', 'user: two']);
    await served.stop();
    await served.start();
    expect((await served.said(id)).filter((line) => line.startsWith('user'))).toEqual(['user: one', 'user: two']);
  });

  it('says why its agent failed, and does the same message when it is run again', async () => {
    await served.open(id, ACP);
    await served.say(id, '!crash 3');
    expect(await served.rests(id)).toBe('error');
    const { body } = await served.ask('GET', `/api/conversations/${id}/events/search?kind=ConversationErrorEvent`);
    expect(body.items[0]).toMatchObject({ code: 'agent_failed', detail: expect.stringContaining('out of memory') });
    expect((await served.ask('GET', `/api/conversations/${id}`)).body.metrics).toEqual({ accumulated_cost: 0 });
    await served.ask('POST', `/api/conversations/${id}/run`);
    expect(await served.rests(id)).toBe('error');
  });

  it('counts what it has cost, and keeps its agent’s session', async () => {
    await served.open(id, ACP);
    await served.say(id, '!cost 0.5');
    await served.rests(id, 'finished');
    await served.say(id, '!cost 0.75');
    await served.rests(id, 'finished');
    expect((await served.ask('GET', `/api/conversations/${id}`)).body.metrics.accumulated_cost).toBeCloseTo(0.75);
  });

  it('AUT-5 is one of many that are talked to at one time, of which not all are kept in memory: nothing is lost', async () => {
    const ids = Array.from({ length: 130 }, () => randomUUID());
    await Promise.all(ids.map((each) => served.open(each)));
    const answers = await Promise.all(ids.flatMap((each) => ['one', 'two'].map((text) => served.say(each, text))));
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    for (const each of ids) await served.rests(each, 'finished');
    for (const each of ids) {
      const said = await served.said(each);
      expect(said.filter((line) => line.startsWith('user')).sort()).toEqual(['user: one', 'user: two']);
      expect(said.filter((line) => line.startsWith('agent')).join()).toMatch(/one[\s\S]*two|two[\s\S]*one/);
    }
  });

  it('AUT-5 a repeat of a message is told of no sooner than that is on the disk', async () => {
    await served.open(id);
    const message = randomUUID();
    const answers = await Promise.all([1, 2, 3].map(() => served.say(id, 'once', { message_id: message })));
    expect(answers.map(({ body }) => body.duplicate).sort()).toEqual([false, true, true]);
    await served.rests(id, 'finished');
    await served.stop();
    await served.start();
    expect((await served.said(id)).filter((line) => line.startsWith('user'))).toEqual(['user: once']);
  });

  it('is found by its words and by instants with any offset', async () => {
    await served.open(id);
    await served.say(id, 'Apples', { run: false });
    await served.say(id, 'pears', { run: false });
    const search = async (query: string) =>
      (await served.ask('GET', `/api/conversations/${id}/events/search?kind=MessageEvent&${query}`)).body;
    expect((await search('body=apple')).items).toHaveLength(1);
    const inAnHour = encodeURIComponent(new Date(Date.now() + 3_600_000).toISOString().replace('Z', '+02:00'));
    expect((await search(`timestamp__gte=${inAnHour}`)).items).toHaveLength(2);
    expect((await served.ask('GET', `/api/conversations/${id}/events/search?timestamp__gte=soon`)).status).toBe(400);
  });

  it('is listed, renamed and deleted with all that it kept', async () => {
    const other = randomUUID();
    await served.open(id);
    await served.open(other);
    expect((await served.ask('GET', '/api/conversations/count')).body).toBe(2);
    const page = await served.ask('GET', '/api/conversations/search?limit=1');
    expect([page.body.items.length, page.body.next_page_id]).toEqual([1, '1']);
    const listed = await served.ask('GET', `/api/conversations?ids=${id}&ids=${randomUUID()}`);
    expect(listed.body.map((each: { id: string } | null) => each?.id ?? null)).toEqual([id, null]);
    await served.ask('PATCH', `/api/conversations/${id}`, { title: 'Another' });
    expect((await served.ask('GET', `/api/conversations/${id}`)).body.title).toBe('Another');
    expect((await served.ask('DELETE', `/api/conversations/${id}`)).body).toEqual({ success: true });
    expect((await served.ask('GET', `/api/conversations/${id}`)).status).toBe(404);
    expect(existsSync(path.join(served.folder, 'conversations', id))).toBe(false);
  });

  it('AUT-5 its events are read page by page from both ends, and stay at their places while others come', async () => {
    await served.open(id);
    for (const text of ['a', 'b', 'c']) await served.say(id, text, { run: false });
    const search = async (query: string) =>
      (await served.ask('GET', `/api/conversations/${id}/events/search?kind=MessageEvent&${query}`)).body;
    const newest = await search('sort_order=TIMESTAMP_DESC&limit=2');
    await served.say(id, 'd', { run: false });
    const rest = await search(`sort_order=TIMESTAMP_DESC&limit=2&page_id=${newest.next_page_id}`);
    const texts = [...newest.items, ...rest.items].map((event) => event.llm_message.content[0].text);
    expect([texts, rest.next_page_id]).toEqual([['c', 'b', 'a'], null]);
    expect((await search('limit=3')).next_page_id).toBe('3');
  });
});
