import { ended, ignored, recorded, repeated, routed, type Scene, type Step } from '../script.js';

const ISSUE = 'github/issues/opened.3.json';
const COMMENT = 'github/issue_comment/created.json';
const CLOSED = 'github/_constructed/issues.closed.completed.json';

/** Instants of 2021, in the order of their names: when the issue was changed at GitHub, which is not when we hear of it. */
const FIRST_CLOSE = '2021-10-11T16:40:00Z';
const AFTER_FIRST_CLOSE = '2021-10-11T16:40:10Z';
const CLOSE_THAT_COMES_LATE = '2021-10-11T16:40:30Z';

type Details = Pick<Step, 'id' | 'about' | 'expect'> & Partial<Step>;

function comment(details: Details): Step {
  return { source: 'github', event: 'issue_comment', fixture: COMMENT, ...details };
}

function issue(details: Details & Pick<Step, 'fixture'>): Step {
  return { source: 'github', event: 'issues', ...details };
}

export const oneIssue: Scene = {
  title: 'One issue, one conversation',
  about: 'The same subject reaches the same agent, in order. A delivery that comes twice counts once, also under a new id.',
  steps: [
    issue({ id: 'issue-opened', fixture: ISSUE, about: 'issue opened', expect: routed('issue', 1) }),
    comment({ id: 'first-comment', about: 'first comment', expect: routed('issue', 2) }),
    comment({
      id: 'second-comment',
      about: 'second comment',
      changes: { 'comment.id': 492700402, 'comment.body': 'Shall I look through the other files for it, too?' },
      expect: routed('issue', 3),
    }),
    comment({ id: 'redelivery', about: 'again, same GUID', deliveredAs: 'first-comment', expect: repeated('issue', 2) }),
    comment({ id: 'captured', about: 'same body, new GUID', expect: repeated('issue', 2) }),
    comment({
      id: 'bot-comment',
      about: 'comment by a bot',
      fixture: 'github/_constructed/issue_comment.created.by-own-bot.json',
      changes: { 'issue.number': 1 },
      expect: ignored('author_bot'),
    }),
  ],
};

export const twoAtATime: Scene = {
  title: 'Two conversations at a time',
  about: 'A pull request and the issue are worked on side by side: nobody waits for another’s agent.',
  steps: [
    {
      id: 'pull-request-opened',
      source: 'github',
      event: 'pull_request',
      fixture: 'github/pull_request/opened.3.json',
      about: 'pull request opened',
      expect: routed('pull request', 1),
    },
    comment({
      id: 'third-comment',
      about: 'comment on the issue',
      changes: { 'comment.id': 492700403, 'comment.body': 'The pull request is there.' },
      expect: routed('issue', 4),
    }),
    {
      id: 'review',
      source: 'github',
      event: 'pull_request_review',
      fixture: 'github/pull_request_review/submitted.json',
      about: 'review submitted',
      expect: routed('pull request', 2),
    },
  ],
};

export const outOfOrder: Scene = {
  title: 'Ends, and what comes late',
  about: 'Only a newer state changes whether an issue is open. A late comment keeps its place: that of its arrival.',
  steps: [
    issue({
      id: 'closed',
      fixture: CLOSED,
      about: 'issue closed',
      changes: { 'issue.updated_at': FIRST_CLOSE, 'issue.closed_at': FIRST_CLOSE },
      afterRest: true,
      expect: ended('issue', 5, 'completed'),
    }),
    comment({
      id: 'comment-after-end',
      about: 'comment after close',
      changes: { 'comment.id': 492700404, 'comment.body': 'Thanks!', 'issue.state': 'closed', 'issue.updated_at': AFTER_FIRST_CLOSE },
      expect: ignored('terminal'),
    }),
    issue({ id: 'reopened', fixture: 'github/issues/reopened.json', about: 'issue reopened', expect: routed('issue', 6) }),
    issue({
      id: 'late-close',
      fixture: CLOSED,
      about: 'an older close, late',
      changes: { 'issue.updated_at': CLOSE_THAT_COMES_LATE, 'issue.closed_at': CLOSE_THAT_COMES_LATE },
      expect: recorded('stale'),
    }),
    comment({
      id: 'late-comment',
      about: 'a late old comment',
      changes: { 'comment.id': 492700399, 'comment.body': 'Is that not spelled with one t?' },
      expect: routed('issue', 7),
    }),
  ],
};

export const withoutConversation: Scene = {
  title: 'Not everything is for an agent',
  about: 'What nobody wants or understands is kept with the reason, and answered 200: the provider shall not send it again.',
  steps: [
    {
      id: 'ping',
      source: 'github',
      event: 'ping',
      fixture: 'github/ping/payload.json',
      about: 'ping of the webhook',
      expect: recorded('ping'),
    },
    {
      id: 'push',
      source: 'github',
      event: 'push',
      fixture: 'github/push/payload.5.json',
      about: 'push, no subject',
      expect: routed('push', 1),
    },
    {
      id: 'release',
      source: 'github',
      event: 'release',
      fixture: 'github/release/published.json',
      about: 'release, not wanted',
      expect: { disposition: 'unmatched', reason: 'event_key' },
    },
    {
      id: 'unknown-event',
      source: 'github',
      event: 'comet',
      fixture: 'github/push/payload.2.json',
      about: 'an unknown event',
      expect: recorded('unknown_event'),
    },
  ],
};

const WORDS = ['crashes', 'hangs', 'is slow', 'prints nothing', 'asks twice', 'loses the file', 'beeps', 'ends at once', 'fails', 'leaks'];

export const tenAtOnce: Scene = {
  title: 'Ten people at once',
  about: 'Ten first comments on one more issue in the same moment: one conversation, places 1 to 10, each once.',
  atOnce: true,
  steps: WORDS.map((word, index) =>
    comment({
      id: `crowd-${index + 1}`,
      about: `person ${index + 1} of 10`,
      changes: {
        'issue.number': 3,
        'issue.id': 444500043,
        'issue.title': 'It does not start',
        'comment.id': 492700500 + index,
        'comment.body': `Here it ${word}.`,
      },
      expect: routed('busy issue', 'any'),
    }),
  ),
};
