import { expect, it } from '@jest/globals';
import { instantRevision } from 'throughline/plugin';

it('TRM-1 makes revisions that compare as text in the order of time', () => {
  const later = ['2026-01-01T00:00:00Z', '2026-01-01T01:00:00.5+01:00', 1767225600501];
  const revisions = later.map(instantRevision);
  expect(revisions).toEqual(['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.500Z', '2026-01-01T00:00:00.501Z']);
  expect([...revisions].sort()).toEqual(revisions);
});

it.each(['2026-01-01', '2026-01-01T00:00:00', 'yesterday', '', null, undefined, Number.NaN, -1, 8.64e15, {}, true])(
  'TRM-1 has no revision for %p, which is no instant in one zone of four-digit years',
  (value) => {
    expect(instantRevision(value)).toBeNull();
  },
);
