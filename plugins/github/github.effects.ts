import type { EffectReader, Evidence, UnknownEffect } from 'throughline/plugin';
import { callGithub } from './github.call.js';
import { findComment, findReview } from './github.comments.js';
import { idsOfComment, idsOfLabels, idsOfReview } from './github.evidence.js';
import type { GithubConnection } from './github.options.js';
import { at, instantAt } from './github.shape.js';
import { numberedSubject } from './github.thread.js';

/** GitHub ends what it was asked for after 10 seconds; clocks differ. */
const SETTLED_MS = 5 * 60_000;

/** Looks for what a write left: comments and reviews carry the host's key. */
export const githubEffects: EffectReader<GithubConnection> = {
  async find(effect: UnknownEffect<GithubConnection>, signal: AbortSignal): Promise<Evidence | 'absent' | 'unknown'> {
    const { connection, scope, tool, marker } = effect;
    const place = scope.subject && numberedSubject(scope.subject, connection.options.host);
    const attempted = Date.parse(effect.attemptedAt);
    if (!place || !scope.subject || Number.isNaN(attempted)) return 'unknown';
    const isSettled = Date.now() - attempted > SETTLED_MS;
    const absent = isSettled ? 'absent' : 'unknown';
    const key = scope.subject.key;
    if (tool === 'github_labels_set') {
      const { data } = await callGithub('read', 'GET /repositories/{repository}/issues/{number}', { ...place }, connection, signal);
      if (effect.isInput({ labels: namesOf(data) })) return known(idsOfLabels(key, data));
      // Other labels are no proof: they may have been changed since, unless nothing was.
      const touched = instantAt(data, 'updated_at');
      return touched !== null && Date.parse(touched) < attempted - SETTLED_MS ? absent : 'unknown';
    }
    if (marker === null) return 'unknown';
    if (tool === 'github_comment') {
      const since = new Date(attempted - SETTLED_MS).toISOString();
      const found = await findComment(place, marker, since, connection, signal);
      return found === null ? absent : known(idsOfComment(key, found));
    }
    if (tool !== 'github_review') return 'unknown';
    const found = await findReview(place, marker, connection, signal);
    return found === null ? absent : known(idsOfReview(key, found));
  },
};

function known(ids: Evidence['ids'] | null): Evidence | 'unknown' {
  return ids === null ? 'unknown' : { ids };
}

function namesOf(issue: unknown): string[] {
  const labels = at(issue, 'labels');
  return (Array.isArray(labels) ? labels : []).map((label) => at(label, 'name')).filter((name) => typeof name === 'string');
}
