import type { WebhookConnection } from './webhook.options.js';

/** What is known of a sender: where its events say what they are. Written as people write it in the configuration. */
type Sender = Omit<WebhookConnection, 'signature' | 'signatureHeader' | 'format' | 'namespace' | 'uniqueBodies'>;

const NEW_LINE = '`"\\n"`';
const BLANK_LINE = '`"\\n\\n"`';

/** https://www.standardwebhooks.com: the id is the same over retries. */
function standardWebhooks(idHeader: string): Sender {
  return { deliveryId: { header: idHeader }, eventKey: 'type', subject: 'data.id', occurredAt: 'timestamp' };
}

/** An issue or merge request has a number of its own within its project; comments name theirs beside them. */
const GITLAB_SUBJECT = [
  "merge_request.iid && join('', [to_string(project.id), '!', to_string(merge_request.iid)])",
  "issue.iid && join('', [to_string(project.id), '#', to_string(issue.iid)])",
  "object_kind == 'merge_request' && join('', [to_string(project.id), '!', to_string(object_attributes.iid)])",
  "(object_kind == 'issue' || object_kind == 'work_item') && join('', [to_string(project.id), '#', to_string(object_attributes.iid)])",
];
const GITLAB_OF_LIFE = "(object_kind == 'issue' || object_kind == 'work_item' || object_kind == 'merge_request')";

/** https://docs.gitlab.com/user/project/integrations/webhook_events/. */
const gitlab: Sender = {
  // The uuid of an event is that of its cause where a webhook caused it, so it comes second.
  deliveryId: { header: ['webhook-id', 'idempotency-key', 'x-gitlab-event-uuid'] },
  eventKey: ['object_kind', 'object_attributes.action'],
  subject: `project.id && (${GITLAB_SUBJECT.map((each) => `(${each})`).join(' || ')})`,
  text: `object_attributes.note || join(${BLANK_LINE}, [object_attributes.title, object_attributes.description][?@])`,
  title: 'merge_request.title || issue.title || object_attributes.title',
  url: 'object_attributes.url || project.web_url',
  author: '{id: user.id || user_id, name: user.username || user_username}',
  messageKey: "object_kind == 'note' && join(' ', ['note', to_string(object_attributes.id)])",
  occurredAt: 'object_attributes.updated_at || object_attributes.created_at',
  terminal: `${GITLAB_OF_LIFE} && (object_attributes.action == 'close' || object_attributes.action == 'merge')`,
  open: `${GITLAB_OF_LIFE} && (object_attributes.action == 'open' || object_attributes.action == 'reopen')`,
  reason: 'object_attributes.state',
};

/** https://docs.stripe.com/api/events/object: `data.object` is what the event is about. */
const stripe: Sender = {
  deliveryId: 'id',
  eventKey: 'type',
  subject: 'data.object.id',
  title: "join(' ', [type, data.object.id])",
  occurredAt: 'created',
  terminal: "ends_with(type, '.deleted')",
  reason: "'deleted'",
};

const SENTRY_TITLE = 'data.issue.title || data.event.title || data.error.title || data.description_title';

/** https://docs.sentry.io/organization/integrations/integration-platform/webhooks/. */
const sentry: Sender = {
  deliveryId: { header: 'request-id' },
  eventKey: [{ header: 'sentry-hook-resource' }, 'action'],
  subject: [
    'data.issue.id || data.event.issue_id || data.error.issue_id || data.issue_id',
    "data.metric_alert.id && join(' ', ['metric_alert', to_string(data.metric_alert.id)])",
  ].join(' || '),
  text: `data.comment || join(${NEW_LINE}, [${SENTRY_TITLE}, data.issue.culprit || data.event.culprit || data.error.culprit || data.description_text][?@])`,
  title: SENTRY_TITLE,
  url: 'data.issue.web_url || data.issue.permalink || data.event.web_url || data.error.web_url || data.web_url',
  // Sentry itself acts as an application, and is nobody whom a route should have to let in.
  author: "actor.type == 'user' && {id: actor.id, name: actor.name}",
  messageKey: "data.comment_id && join(' ', ['comment', to_string(data.comment_id)])",
  occurredAt: 'data.timestamp || data.issue.lastSeen || data.event.datetime || data.error.datetime',
  terminal: "data.issue && action == 'resolved'",
  open: "data.issue && (action == 'created' || action == 'unresolved')",
  reason: "'resolved'",
};

/** https://support.atlassian.com/bitbucket-cloud/docs/event-payloads/. */
const bitbucket: Sender = {
  deliveryId: { header: 'x-request-uuid' },
  eventKey: { header: 'x-event-key' },
  subject: [
    "pullrequest.id && join('', [repository.uuid, '!', to_string(pullrequest.id)])",
    "issue.id && join('', [repository.uuid, '#', to_string(issue.id)])",
  ].join(' || '),
  text: `comment.content.raw || join(${BLANK_LINE}, [pullrequest.title || issue.title, pullrequest.description || issue.content.raw][?@])`,
  title: 'pullrequest.title || issue.title',
  url: 'comment.links.html.href || pullrequest.links.html.href || issue.links.html.href',
  author: '{id: actor.uuid || actor.account_id, name: actor.nickname || actor.display_name}',
  messageKey: "comment.id && join(' ', ['comment', to_string(comment.id)])",
  occurredAt: 'comment.updated_on || pullrequest.updated_on || issue.updated_on',
  terminal: "!comment && (pullrequest.state == 'MERGED' || pullrequest.state == 'DECLINED')",
  reason: 'lower(pullrequest.state)',
};

/** https://shopify.dev/docs/api/webhooks. The id of the delivery is the same over retries. */
const shopify: Sender = {
  deliveryId: { header: 'x-shopify-webhook-id' },
  eventKey: { header: 'x-shopify-topic' },
  subject: 'admin_graphql_api_id || id',
  title: 'name',
  occurredAt: 'updated_at || created_at',
};

/** Senders by the name of the signature preset that they prove themselves with. */
export const senders: ReadonlyMap<string, Sender> = new Map([
  ['standard-webhooks', standardWebhooks('webhook-id')],
  ['standard-webhooks-v1a', standardWebhooks('webhook-id')],
  ['svix', standardWebhooks('svix-id')],
  ['gitlab-token', gitlab],
  ['gitlab-signing-token', gitlab],
  ['stripe', stripe],
  ['sentry', sentry],
  ['bitbucket', bitbucket],
  ['shopify', shopify],
]);

/** What CloudEvents say of themselves; a source is a URI and has no space in it. */
export const CLOUD_EVENT: Sender = {
  eventKey: 'type',
  subject: "subject && join(' ', [source, subject])",
  title: 'subject',
  occurredAt: 'time',
};
