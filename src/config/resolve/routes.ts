import type { RouteConfig } from '../config.js';
import type { RouteSection } from '../schema/route.js';
import { parseDuration } from '../units.js';
import { checkExists, checkOrg, checkWebhook, type Scope } from './scope.js';

const DEBOUNCE_MS = 2000;

/** `order`: the names as they follow each other in the file; names that it lacks come last. */
export function resolveRoutes(scope: Scope, order: readonly string[]): RouteConfig[] {
  const position = new Map(order.map((name, index) => [name, index]));
  const place = (name: string) => position.get(name) ?? order.length;
  return [...scope.file.routes]
    .sort(([a], [b]) => place(a) - place(b))
    .map(([name, section]) => {
      checkRoute(section, `routes.${name}`, scope);
      return resolveRoute(name, section);
    });
}

function checkRoute(section: RouteSection, path: string, scope: Scope): void {
  const { connections, workspaces } = scope.file;
  checkOrg(section.org, path, scope);
  const { webhook, connection } = section;
  if (webhook !== undefined) checkWebhook(webhook, connection, `${path}.webhook`, scope);
  else if (connection === undefined) checkNamesSource(path, scope);
  const from = connections.get(connection ?? '');
  checkExists('connection', connection ?? '', connections.keys(), `${path}.connection`, scope);
  checkExists('workspace', section.workspace, workspaces.keys(), `${path}.workspace`, scope);
  checkSameOrg(section, 'connection', from?.org, path, scope);
  checkSameOrg(section, 'workspace', workspaces.get(section.workspace)?.org, path, scope);
  if (section.source === 'private' && (webhook !== undefined || from?.source === 'public')) {
    const message = `a route cannot trust more than its ${webhook === undefined ? 'connection' : 'webhook'}, which is \`public\``;
    scope.faults.push({ path: `${path}.source`, message });
  }
  if (section.debounce !== undefined && section.whileBusy !== 'collect') {
    scope.faults.push({ path: `${path}.debounce`, message: 'is of use with `whileBusy: collect` alone' });
  }
  checkSources(section, path, scope);
}

/** What is no name at all has its fault already, and is not there any more. */
function checkNamesSource(path: string, { faults }: Scope): void {
  const isTold = faults.some((fault) => fault.path === `${path}.connection` || fault.path === `${path}.webhook`);
  if (!isTold) faults.push({ path: `${path}.connection`, message: 'is required and must not be empty' });
}

function checkSameOrg(
  route: RouteSection,
  key: 'connection' | 'workspace',
  org: string | undefined,
  path: string,
  { faults }: Scope,
): void {
  if (org === undefined || org === route.org) return;
  faults.push({ path: `${path}.${key}`, message: `belongs to the org \`${org}\`, and the route to \`${route.org}\`` });
}

function checkSources(section: RouteSection, path: string, { checkExpression, checkPattern, faults }: Scope): void {
  for (const key of ['filter', 'subject', 'text'] as const) {
    const source = section[key];
    const message = source === undefined ? null : checkExpression(source);
    if (message !== null) faults.push({ path: `${path}.${key}`, message });
  }
  section.on.forEach((pattern, index) => {
    const message = checkPattern(pattern);
    if (message !== null) faults.push({ path: `${path}.on[${index}]`, message });
  });
}

function resolveRoute(name: string, section: RouteSection): RouteConfig {
  const { authors } = section;
  return {
    name,
    org: section.org,
    connection: section.connection ?? section.webhook ?? '',
    workspace: section.workspace,
    instructions: section.instructions ?? null,
    endpoint: section.endpoint ?? null,
    on: section.on,
    filter: section.filter ?? null,
    scope: section.scope,
    subject: section.subject ?? null,
    text: section.text ?? null,
    activation: section.activation,
    replay: section.replay,
    wake: section.wake,
    wakeAfterMs: parseDuration(section.wakeAfter),
    authors: { allowSelf: authors.self, allowBots: authors.bots, allow: authors.allow },
    source: section.source ?? null,
    coalesce: section.coalesce,
    onDead: section.onDead,
    lifecycle: section.lifecycle,
    afterClose: section.afterClose,
    edits: section.edits,
    // What no runtime can take waits: steering is enqueueing then.
    whileBusy: section.whileBusy ?? 'steer',
    debounceMs: parseDuration(section.debounce) ?? DEBOUNCE_MS,
    outbound: section.outbound,
    approvers: section.approvers,
  };
}
