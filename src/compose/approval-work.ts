import type { AddressInfo } from 'node:net';
import { Logger } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { WorkspaceConfig } from '../config/config.js';
import { Admissions } from '../core/admission/admissions.js';
import { ApprovalDesk } from '../core/approvals/approval-desk.js';
import { inThread, type ShowApproval } from '../core/approvals/approval-post.js';
import { ApprovalRunner } from '../core/approvals/approval-runner.js';
import type { Deciders } from '../core/approvals/may-decide.js';
import type { ToolRules } from '../core/approvals/outbound-policy.js';
import { Permissions } from '../core/approvals/permissions.js';
import { ThreadDecisions } from '../core/approvals/thread-decisions.js';
import type { TurnConversation } from '../core/conversations/conversations.js';
import type { Standing } from '../core/conversations/standings.js';
import { Outbound } from '../core/effects/outbound.js';
import { Signals } from '../core/signals.js';
import { compilePattern } from '../plugin/expressions/event-pattern.js';
import type { TurnInput } from '../plugin/index.js';
import { PluginRegistry } from '../plugin-host/plugin-registry.js';
import { McpHost } from '../tools/mcp.controller.js';
import { ToolCalls } from '../tools/tool-calls.js';
import { ToolTable } from '../tools/tool-table.js';
import { toolToken } from '../tools/tool-token.js';
import { Membership } from '../worker/membership.js';
import { WorkTable } from '../worker/work-table.js';
import { DECISIONS } from './control-work.js';
import type { HostParts } from './host-parts.js';

/** What a turn is told about its tools. */
export abstract class TurnTools {
  abstract of(conversation: TurnConversation): TurnInput['mcp'];
}

/** What agents can do with tools, and what people are asked before it is done. */
export function approvalProviders(parts: HostParts) {
  const {
    database,
    encryptionKey: key,
    config: { workers },
    version,
  } = parts;
  const logger = new Logger('Approvals');
  return [
    { provide: ToolTable, inject: [PluginRegistry], useFactory: (registry: PluginRegistry) => toolTable(parts, registry) },
    {
      provide: ApprovalDesk,
      inject: [Signals, WorkTable],
      useFactory: (signals: Signals, table: WorkTable) =>
        new ApprovalDesk(database, signals, key, { expiresMs: workers.approvalExpiresMs }, showOn(table)),
    },
    {
      provide: Permissions,
      inject: [ApprovalDesk],
      useFactory: (desk: ApprovalDesk) =>
        new Permissions(database, desk, key, { waitMs: workers.approvalWaitMs, expiresMs: workers.approvalExpiresMs }),
    },
    {
      provide: DECISIONS,
      inject: [ApprovalDesk, PluginRegistry],
      useFactory: (desk: ApprovalDesk, registry: PluginRegistry) => new ThreadDecisions(desk, decidersIn(parts, registry)),
    },
    {
      provide: ApprovalRunner,
      inject: [Signals, Admissions, Outbound, ToolTable, Membership, ApprovalDesk],
      useFactory: (
        signals: Signals,
        admissions: Admissions,
        outbound: Outbound,
        tools: ToolTable,
        membership: Membership,
        { show }: ApprovalDesk,
      ) =>
        new ApprovalRunner({
          ...{ database, signals, admissions, outbound, execution: { key, tools, show } },
          ...{ owner: () => membership.owner, warn: (message) => logger.warn(message) },
        }),
    },
    {
      provide: McpHost,
      inject: [ToolTable, ApprovalDesk, Outbound],
      useFactory: (table: ToolTable, desk: ApprovalDesk, outbound: Outbound): McpHost => ({
        key,
        parts: { table, calls: new ToolCalls(database, table, desk, outbound, key), version },
      }),
    },
    {
      provide: TurnTools,
      inject: [ToolTable, HttpAdapterHost],
      useFactory: (table: ToolTable, http: HttpAdapterHost): TurnTools => ({
        of: (conversation) => toolsOf(conversation, table, http, key),
      }),
    },
  ];
}

function showOn(table: WorkTable): ShowApproval {
  return inThread((org, workspace) => table.placement(org, workspace));
}

function decidersIn({ routes, config, connections }: HostParts, registry: PluginRegistry) {
  return ({ org, route: name, workspace }: Standing, channel: string): Deciders => {
    const shown = connections.find(({ connection }) => connection.org === org && connection.name === channel);
    return {
      route: routes.find((each) => each.org === org && each.name === name) ?? null,
      ofWorkspace: config.workspaces.find((each) => each.org === org && each.name === workspace)?.approvers ?? [],
      insiders: (shown && registry.get(shown.settings.plugin).control?.insiders) ?? null,
    };
  };
}

function toolTable({ routes, connections, config }: HostParts, registry: PluginRegistry): ToolTable {
  const sources = new Map(
    connections.map(({ settings: { plugin }, connection }) => [
      `${connection.org}/${connection.name}`,
      { connection, plugin, tools: registry.get(plugin).tools ?? [], reads: registry.get(plugin).reads ?? [] },
    ]),
  );
  const rules = new Map(config.workspaces.map((workspace) => [`${workspace.org}/${workspace.name}`, rulesOf(workspace)]));
  return new ToolTable({
    routes,
    source: (org, name) => sources.get(`${org}/${name}`) ?? null,
    rules: (org, name) => rules.get(`${org}/${name}`) ?? null,
  });
}

function rulesOf({ tools, capabilities: { deny, approve, allow } }: WorkspaceConfig): ToolRules {
  const compiled = (patterns: readonly string[]) => patterns.map(compilePattern);
  return { tools: compiled(tools), capabilities: { deny: compiled(deny), approve: compiled(approve), allow: compiled(allow) } };
}

/** Agents run on this machine, so that they come by the address at which it listens, whatever the world knows it as. */
function toolsOf(conversation: TurnConversation, table: ToolTable, http: HttpAdapterHost, key: Buffer): TurnInput['mcp'] {
  if (conversation.state === 'terminal' || !table.isOfUse(conversation)) return null;
  const server = http.httpAdapter.getHttpServer() as { address(): AddressInfo | string | null };
  const address = server.address();
  if (address === null || typeof address === 'string') return null;
  return { url: `http://${hostOf(address)}:${address.port}/v1/mcp/${conversation.id}`, token: toolToken(key, conversation) };
}

function hostOf({ address, family }: AddressInfo): string {
  if (address === '0.0.0.0') return '127.0.0.1';
  if (address === '::') return '[::1]';
  return family === 'IPv6' ? `[${address}]` : address;
}
