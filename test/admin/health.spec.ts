import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { MeasuredAdmission } from '../../src/admin/metrics/measured-admission.js';
import type { IncomingEvent } from '../../src/core/admission/event.js';
import { StoreUnavailable } from '../../src/core/admission/store-unavailable.js';
import { comment, event } from '../core/builders.js';
import { delivered } from '../core/core.js';
import { eachDatabase } from '../databases.js';
import { AdminHost } from './admin-host.js';

eachDatabase('health and metrics', (make) => {
  let host: AdminHost;
  let ahead = 0;
  beforeAll(async () => {
    host = await AdminHost.start(make);
    const now = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => now() + ahead);
  });
  afterAll(async () => {
    jest.restoreAllMocks();
    await host.close();
  });

  /** Scrapes after what was read before is no longer fresh. */
  const metrics = async () => {
    ahead += 5_000;
    return (await host.get('/metrics', { token: null })).text;
  };
  const value = async (name: string) => Number(new RegExp(`^${name.replace(/[{}]/g, '\\$&')} (.*)$`, 'm').exec(await metrics())?.[1]);

  it('ADM-4 ready says what it waits for, and live does not care', async () => {
    const ready = async () => {
      const { status, body } = await host.get('/health/ready', { token: null });
      return [status, body];
    };
    expect(await ready()).toEqual([200, { status: 'ready', checks: { database: 'ok', recovery: 'ok', worker: 'running' } }]);
    host.host.ready = { recovered: false, worker: 'starting' };
    expect(await ready()).toEqual([503, { status: 'not_ready', checks: { database: 'ok', recovery: 'failing', worker: 'starting' } }]);
    expect((await host.get('/health/live', { token: null })).body).toEqual({ status: 'alive' });
    host.host.ready = { recovered: true, worker: 'idle' };
    expect((await ready())[0]).toBe(200);
  });

  it('ADM-4 metrics are open on this machine, and for viewers elsewhere', async () => {
    const { token } = await host.token('viewer');
    const statusOf = async (asked: object) => (await host.get('/metrics', { token: null, ...asked })).status;
    expect(await statusOf({})).toBe(200);
    expect(await statusOf({ remoteAddress: '::1' })).toBe(200);
    expect(await statusOf({ remoteAddress: '10.0.0.7' })).toBe(401);
    expect(await statusOf({ remoteAddress: '127.evil' })).toBe(401);
    for (const header of ['x-forwarded-for', 'x-forwarded-host', 'forwarded', 'x-real-ip', 'via'])
      expect([header, await statusOf({ headers: { [header]: '10.0.0.7' } })]).toEqual([header, 401]);
    expect(await statusOf({ remoteAddress: '10.0.0.7', token })).toBe(200);
  });

  it('ADM-4 metrics count what is open, running, retried and stalled', async () => {
    const sent = comment('1');
    const admission = new MeasuredAdmission(host.core.admissions, host.metrics);
    const incoming = (each: typeof sent): IncomingEvent => ({
      ...each,
      connection: { name: 'tracker', org: 'default', source: 'public', secrets: [], options: {} },
    });
    for (const each of [sent, sent, comment('2'), event({ kind: 'recorded', reason: 'ping', subject: null })])
      await admission.admit(incoming(each));
    const refuse = () => Promise.reject(new StoreUnavailable());
    const failing = new MeasuredAdmission({ admit: refuse, admitTogether: refuse }, host.metrics);
    await expect(failing.admit(incoming(comment('3')))).rejects.toThrow(StoreUnavailable);
    expect(await value('throughline_admissions_total{disposition="routed"}')).toBe(2);
    expect(await value('throughline_admissions_total{disposition="recorded"}')).toBe(1);
    expect(await value('throughline_duplicates_total')).toBe(1);
    expect(await value('throughline_admission_failures_total')).toBe(1);
    expect(await value('throughline_accept_seconds_count')).toBe(4);
    expect(await value('throughline_deliveries_open')).toBe(2);
    const [first, second] = await host.core.claim();
    expect(await value('throughline_turns_running')).toBe(2);
    if (first && second) {
      await host.core.fail(first);
      await host.core.finish(second);
    }
    expect(await value('throughline_deliveries_retrying')).toBe(1);
    await host.change("update queues set parked = 'stalled', ready_at = null where open > 0");
    expect(await value('throughline_conversations_stalled')).toBe(1);
    await host.core.admit(comment('4'));
    await host.change('update queues set ready_at = ready_at - 60000 where ready_at is not null');
    expect(await value('throughline_head_age_seconds')).toBeGreaterThanOrEqual(60);
    expect(Math.abs(await value('throughline_database_clock_offset_seconds'))).toBeLessThan(30);
    host.metrics.leasesExpired(3);
    expect(await value('throughline_lease_expiries_total')).toBe(3);
  });

  it('ADM-4 scrapes within five seconds read the database once', async () => {
    await metrics();
    const transaction = jest.spyOn(host.core.database, 'transaction');
    try {
      for (let i = 0; i < 3; i += 1) await host.get('/metrics', { token: null });
      expect(transaction).not.toHaveBeenCalled();
      ahead += 5_000;
      await Promise.all(Array.from({ length: 3 }, () => host.get('/metrics', { token: null })));
      expect(transaction).toHaveBeenCalledTimes(1);
    } finally {
      transaction.mockRestore();
    }
  });

  it('admin writes wait for recovery; reads do not', async () => {
    const { conversation } = delivered(await host.core.admit(comment('5')));
    host.host.ready = { recovered: false, worker: 'starting' };
    const { status, body, headers } = await host.post(`/v1/conversations/${conversation}/messages`, { text: 'hello' });
    expect([status, body.code, headers['retry-after']]).toEqual([503, 'recovering', '2']);
    expect((await host.get(`/v1/conversations/${conversation}`)).status).toBe(200);
    host.host.ready = { recovered: true, worker: 'running' };
    expect((await host.post(`/v1/conversations/${conversation}/messages`, { text: 'hello' })).status).toBe(202);
  });

  it('ADM-4 each metric is explained in docs/operating.md, and no other', async () => {
    const page = readFileSync(path.join(import.meta.dirname, '..', '..', 'docs', 'operating.md'), 'utf8');
    const explained = [...page.matchAll(/^\| `(throughline_\w+)` \|/gm)].map(([, name]) => name);
    const exposed = [...(await metrics()).matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name);
    expect(explained.toSorted()).toEqual(exposed.toSorted());
  });
});
