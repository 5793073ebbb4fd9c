import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { issueComment, markOf, SECRET } from '../../bench/load/issue-comment.mjs';
import { plan } from '../../bench/load/plan.mjs';

interface Post {
  readonly subject: number;
  readonly number: number;
  readonly isRepeat: boolean;
}

const LOAD = { deliveries: 1000, subjects: 60, producers: 7, firstSubject: 500, seed: 3 };

describe('the load', () => {
  const lists = plan(LOAD) as Post[][];
  const posts = lists.flat();

  it('is the same for the same seed, and another for another', () => {
    expect(plan(LOAD)).toEqual(lists);
    expect(plan({ ...LOAD, seed: 4 })).not.toEqual(lists);
  });

  it('has every delivery once and one in ten again, after its first', () => {
    const firsts = posts.filter(({ isRepeat }) => !isRepeat).map(({ subject, number }) => `${subject}:${number}`);
    expect(new Set(firsts).size).toBe(LOAD.deliveries);
    expect(firsts).toHaveLength(LOAD.deliveries);
    expect(posts.length - firsts.length).toBe(LOAD.deliveries / 10);
    for (const list of lists)
      for (const [at, { subject, number, isRepeat }] of list.entries()) {
        const first = list.findIndex((each) => each.subject === subject && each.number === number);
        expect(isRepeat).toBe(first < at);
      }
  });

  it('leaves each subject to one producer, in the order of its numbers', () => {
    const owners = new Map<number, number>();
    for (const [producer, list] of lists.entries())
      for (const { subject } of list) expect(owners.set(subject, owners.get(subject) ?? producer).get(subject)).toBe(producer);
    for (const numbers of Map.groupBy(
      posts.filter(({ isRepeat }) => !isRepeat),
      ({ subject }) => subject,
    ).values())
      expect(numbers.map(({ number }) => number)).toEqual(numbers.map((_, i) => i + 1));
    expect(owners.size).toBe(LOAD.subjects);
  });

  it('is made of requests of about 1 KB that are signed over their very bytes', () => {
    const [head = '', body = ''] = issueComment(12, 3, '127.0.0.1:1').toString().split('\r\n\r\n');
    expect(body.length).toBeGreaterThan(900);
    expect(body.length).toBeLessThan(1500);
    expect(head).toContain(`x-hub-signature-256: sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`);
    expect(head).toContain(`content-length: ${Buffer.byteLength(body)}`);
    expect(markOf(JSON.parse(body).comment.body)).toEqual({ subject: 12, number: 3 });
  });
});
