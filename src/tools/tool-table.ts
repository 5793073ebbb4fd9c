import type { BoundTool, ToolBinder } from '../core/approvals/execute-approval.js';
import { type Permit, permit, permitRead, type ToolRules } from '../core/approvals/outbound-policy.js';
import type { Standing } from '../core/conversations/standings.js';
import type { Route } from '../core/routing/route.js';
import type { Connection, OutboundTool, ReadTool } from '../plugin/index.js';
import { readInput } from './tool-input.js';

/** A connection with what can be written by it. */
export interface ToolSource {
  readonly connection: Connection;
  /** Name of the plugin. */
  readonly plugin: string;
  readonly tools: readonly OutboundTool[];
  readonly reads: readonly ReadTool[];
}

/** A read as the configuration gives it to a conversation now. */
export interface BoundRead {
  readonly provider: string;
  readonly connection: Connection;
  readonly tool: ReadTool;
  readonly permit: Permit;
}

export interface ToolTableParts {
  readonly routes: readonly Route[];
  readonly source: (org: string, connection: string) => ToolSource | null;
  /** Null: no such workspace is configured. */
  readonly rules: (org: string, workspace: string) => ToolRules | null;
}

type Place = Pick<Standing, 'org' | 'route' | 'workspace'> & Partial<Pick<Standing, 'tainted'>>;

/** The tools of conversations: those of the connection whose route made them, less what route and workspace take away. */
export class ToolTable implements ToolBinder {
  private readonly routes: ReadonlyMap<string, Route>;

  constructor(private readonly parts: ToolTableParts) {
    this.routes = new Map(parts.routes.map((route) => [`${route.org}/${route.name}`, route]));
  }

  find(place: Place, name: string): BoundTool | null {
    return this.all(place).find(({ tool }) => tool.name === name) ?? null;
  }

  /** All that write, also those that may write nothing now. */
  all(place: Place): BoundTool[] {
    const bound = this.bound(place);
    if (bound === null) return [];
    const { route, rules, source } = bound;
    const { connection, plugin, tools } = source;
    return tools.map((tool) => ({
      ...{ provider: plugin, connection, tool, read: (body) => readInput(tool.input, body) },
      permit: permit({ plugin, tool: tool.name, outbound: route.outbound, rules, isTainted: place.tainted === 1 }),
    }));
  }

  /** All that read, also those that may not be used. */
  reads(place: Place): BoundRead[] {
    const bound = this.bound(place);
    if (bound === null) return [];
    const { rules, source } = bound;
    const { connection, plugin, reads } = source;
    return reads.map((tool) => ({ provider: plugin, connection, tool, permit: permitRead({ plugin, tool: tool.name, rules }) }));
  }

  /** Whether its agent has any use for them. */
  isOfUse(place: Place): boolean {
    return [...this.all(place), ...this.reads(place)].some((tool) => tool.permit.is !== 'refused');
  }

  private bound({ org, route: name, workspace }: Place): { route: Route; rules: ToolRules; source: ToolSource } | null {
    const route = name === null ? undefined : this.routes.get(`${org}/${name}`);
    const rules = this.parts.rules(org, workspace);
    const source = route && this.parts.source(org, route.source);
    return route && source && rules !== null ? { route, rules, source } : null;
  }
}
