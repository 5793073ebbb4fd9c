const BLOCKS = `# Configuration of Throughline. All of it is optional: as it stands, the server starts on an embedded database with
# no connections. To use a block, take the # from the front of its lines; lines that begin with "# " stay comments.
# All keys: docs/configuration.md. Each can also be set by THROUGHLINE_<PATH>, for example THROUGHLINE_SERVER__PORT=8080.

#server:
#  host: 127.0.0.1
#  port: 8787
# The address under which providers reach this server, as a tunnel or proxy gives it:
#  publicUrl: https://hooks.example.com

# One file, or PostgreSQL for several processes: postgresql://user:password@host/throughline
#database:
#  url: sqlite:./data/throughline.db

#workers:
#  concurrency: 8

# Accounts at providers. Secrets are references: { env: NAME } looks into the environment, then into .env beside this
# file; { file: PATH } into a file. Point the provider's webhook at <publicUrl>/v1/events/default/<name>.
#connections:
#  github:
#    plugin: github
#    secret: { env: GITHUB_WEBHOOK_SECRET }
#  slack:
#    plugin: slack
#    secret: { env: SLACK_SIGNING_SECRET }
#    source: private
#  linear:
#    plugin: linear
#    secret: { env: LINEAR_WEBHOOK_SECRET }
#    source: private

# How turns run. "echo" answers with what it was told, which is enough to try everything out; "process" starts your agent.
#runtimes:
#  try-out:
#    kind: echo
#  agent:
#    kind: process
#    command: [node, agent.mjs]
#    timeout: 30m

# Where turns work.
#workspaces:
#  triage:
#    runtime: try-out
#    instructions: Answer briefly, and ask when something is unclear.
#  engineering:
#    runtime: agent
#    directory: ./work/engineering
#    env: [PATH, HOME]

# Which events become messages, and for whom. The first route that takes an event decides about its conversation.
#routes:
#  github-comments:
#    connection: github
#    workspace: engineering
#    on: ["issues.opened", "issue_comment.created", "pull_request_review_comment.created"]
#    authors: { allow: ["role:OWNER", "role:MEMBER", "role:COLLABORATOR"] }
#  slack-threads:
#    connection: slack
#    workspace: triage
#  linear-issues:
#    connection: linear
#    workspace: engineering
#    on: ["Issue.*", "Comment.create"]

# What starts work of its own: by events, by the clock, or by a person through the API. See docs/automations.md.
#automations:
#  weekly-report:
#    triggers: [{ schedule: "0 9 * * 1", timezone: Europe/Berlin }]
#    prompt: Write the report of the week.
#    workspace: triage
`;

/**
 * The commented YAML file that `throughline init` and `npm start` write: legal as it stands, and each block is when the `#` is
 * taken from the front of its lines. `schema`: where editors find the JSON Schema, from that file's folder.
 */
export function configTemplate(schema = './node_modules/throughline/throughline.schema.json'): string {
  return `# yaml-language-server: $schema=${schema}\n#\n${BLOCKS}`;
}

/** The file `.env.example`: each variable that the template's references name. */
export function envExample(): string {
  return `# Copy to .env, fill in, and keep it out of version control. The configuration's references, such as
# { env: GITHUB_WEBHOOK_SECRET }, look here after the environment itself.

# GitHub: repository or organisation, Settings, Webhooks, Secret. Content type: application/json.
GITHUB_WEBHOOK_SECRET=

# Slack: your app, Basic Information, Signing Secret.
SLACK_SIGNING_SECRET=

# Linear: Settings, API, Webhooks, Signing secret.
LINEAR_WEBHOOK_SECRET=
`;
}
