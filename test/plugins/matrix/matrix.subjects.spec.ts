import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { messageTextOf } from '../../../plugins/matrix/message-text.js';
import { ADA, BOB } from '../../fakes/matrix/homeserver.js';
import { parse, SUPPORT } from './matrix.rooms.js';

const event = (content: object, more: object = {}) => ({
  event_id: '$e',
  sender: BOB,
  origin_server_ts: 1_767_225_601_000,
  type: 'm.room.message',
  content,
  ...more,
});
const told = (eventKey: string, payload: object) =>
  parse({ deliveryId: '$e', eventKey, payload: { room: 'support', room_id: SUPPORT, ...payload } });

describe('what is made of an event of a room', () => {
  it('IDN-1 MTX-1 is about the room as this account and connection know it, and says from which place it is', () => {
    expect(told('message.created', { event: event({ msgtype: 'm.text', body: 'hello' }), author: 'Bob' })).toEqual({
      kind: 'prompt',
      subject: { namespace: `matrix:${ADA}:matrix:support:room`, key: SUPPORT },
      title: 'Support',
      endpoint: 'support',
      text: 'hello',
      messageKey: `${SUPPORT}/$e`,
      author: { id: BOB, name: 'Bob', handle: null, isBot: false },
      occurredAt: '2026-01-01T00:00:01.000Z',
      url: 'https://matrix.to/#/!support%3Aexample.org/%24e',
    });
  });

  it('CTL-3 MTX-2 belongs to the thread that it was said in', () => {
    const content = { msgtype: 'm.text', body: '/stop', 'm.relates_to': { rel_type: 'm.thread', event_id: '$root' } };
    expect(told('message.created', { event: event(content) })).toMatchObject({ kind: 'prompt', thread: `${SUPPORT}/$root` });
  });

  it('is without what a reply repeats of the message that it answers, and with what its author quotes', () => {
    const reply = { 'm.relates_to': { 'm.in_reply_to': { event_id: '$first' } } };
    expect(messageTextOf({ body: '> <@ada:example.org> hello\n> there\n\nhi', ...reply })).toBe('hi');
    expect(messageTextOf({ body: '> my own quote\n\nhi', ...reply })).toBe('> my own quote\n\nhi');
    expect(messageTextOf({ body: '> <@ada:example.org> hello\n\nhi' })).toBe('> <@ada:example.org> hello\n\nhi');
  });

  it('ACC-8 is an edit by the author alone', () => {
    const content = {
      msgtype: 'm.text',
      body: '* b',
      'm.new_content': { msgtype: 'm.text', body: 'b' },
      'm.relates_to': { rel_type: 'm.replace', event_id: '$a' },
    };
    const payload = { event: event(content), original_sender: BOB };
    expect(told('message.edited', payload)).toMatchObject({ kind: 'edit', messageKey: `${SUPPORT}/$a`, text: 'b' });
    for (const original_sender of [ADA, undefined])
      expect(told('message.edited', { ...payload, original_sender })).toMatchObject({ kind: 'ignored', reason: 'edited_by_another' });
  });

  it('is recorded where it lacks what it should have, whatever it holds', () => {
    const keys = fc.constantFrom(
      'message.created',
      'message.edited',
      'message.redacted',
      'room.upgraded',
      'room.left',
      'message.unreadable',
      'other',
    );
    fc.assert(
      fc.property(keys, fc.jsonValue(), (eventKey, payload) => {
        const parsed = parse({ deliveryId: '$e', eventKey, payload });
        expect(parse({ deliveryId: '$e', eventKey, payload })).toStrictEqual(parsed);
        expect(parsed.kind).toBe('recorded');
      }),
    );
    fc.assert(
      fc.property(keys, fc.object(), (eventKey, given) => {
        const parsed = told(eventKey, { event: given });
        expect(JSON.parse(JSON.stringify(parsed))).toStrictEqual(parsed);
      }),
    );
  });
});
