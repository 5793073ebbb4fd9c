// A GitHub `issue_comment.created` of about 1 KB, as GitHub signs and sends it.
import { createHmac, randomUUID } from 'node:crypto';

export const SECRET = 'a secret of the benchmark alone';
export const PATH = '/v1/events/default/gh';

const REPOSITORY = 7001;
const USER = { login: 'ada', id: 4711, node_id: 'U_kgDOAAASZw', type: 'User', site_admin: false };
const OWNER = { login: 'example', id: 4712, node_id: 'O_kgDOAAASaA', type: 'Organization', site_admin: false };
const WORDS = 'The build is red again on the second runner, and only there. Could you look at the cache key? It seems to hold a path.';

/** The whole request as bytes, made before the clock runs. Two calls make two events, whose bodies differ. */
export function issueComment(subject, number, host) {
  const body = Buffer.from(JSON.stringify(payload(subject, number)));
  const signature = createHmac('sha256', SECRET).update(body).digest('hex');
  const head = [
    `POST ${PATH} HTTP/1.1`,
    `host: ${host}`,
    'user-agent: GitHub-Hookshot/bench',
    'content-type: application/json',
    'x-github-event: issue_comment',
    `x-github-delivery: ${randomUUID()}`,
    `x-hub-signature-256: sha256=${signature}`,
    `content-length: ${body.length}`,
    '',
    '',
  ];
  return Buffer.concat([Buffer.from(head.join('\r\n')), body]);
}

/** Which event a text is, wherever it has come to. */
export function markOf(text) {
  const mark = /bench:(\d+):(\d+)/.exec(text);
  return mark && { subject: Number(mark[1]), number: Number(mark[2]) };
}

function payload(subject, number) {
  const at = '2026-01-05T09:00:00Z';
  const issue = `https://github.com/example/widgets/issues/${subject}`;
  const id = subject * 100_000 + number;
  return {
    action: 'created',
    issue: {
      id: 9_000_000 + subject,
      number: subject,
      title: `Widget ${subject} does not turn`,
      state: 'open',
      html_url: issue,
      created_at: at,
      updated_at: at,
      user: USER,
    },
    comment: {
      id,
      html_url: `${issue}#issuecomment-${id}`,
      body: `bench:${subject}:${number} ${WORDS}`,
      user: USER,
      author_association: 'MEMBER',
      created_at: at,
      updated_at: at,
    },
    repository: { id: REPOSITORY, name: 'widgets', full_name: 'example/widgets', private: true, owner: OWNER },
    sender: USER,
  };
}
