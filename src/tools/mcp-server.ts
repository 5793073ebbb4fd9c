import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { CallToolRequestSchema, type CallToolResult, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { BoundTool } from '../core/approvals/execute-approval.js';
import type { Standing } from '../core/conversations/standings.js';
import type { CallResult, ToolCalls } from './tool-calls.js';
import { inputSchema } from './tool-input.js';
import type { BoundRead, ToolTable } from './tool-table.js';

export interface McpParts {
  readonly table: ToolTable;
  readonly calls: ToolCalls;
  readonly version: string;
}

/** Where a client that repeats a call says which one it is. */
const CALL_KEY = 'throughline/call';
const LONGEST_KEY = 255;

/** Answers one request about the tools of a conversation. Nothing is kept between two requests, so any replica answers the next one. */
export async function answerMcp(
  { table, calls, version }: McpParts,
  standing: Standing,
  request: Request,
  body: unknown,
): Promise<Response> {
  const server = new Server({ name: 'throughline', version }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [...table.all(standing).filter(isOffered).map(toolOf), ...table.reads(standing).filter(isOffered).map(readOf)],
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params: { name, arguments: input = {}, _meta } }) =>
    resultOf(await calls.call(standing, { tool: name, input, key: keyOf(_meta?.[CALL_KEY]) })),
  );
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody: body });
  } finally {
    await server.close();
  }
}

function isOffered({ permit }: Pick<BoundTool, 'permit'>): boolean {
  return permit.is !== 'refused';
}

function toolOf({ tool, provider, permit }: BoundTool) {
  const about = tool.description ?? `Writes with the tool ${tool.name} of ${provider}, to what this conversation is about.`;
  const asked = permit.is === 'approval' ? ' A person decides about each call before it is done.' : '';
  return { name: tool.name, description: `${about}${asked}`, inputSchema: inputSchema(tool.input) };
}

function readOf({ tool: { name, description, input } }: BoundRead) {
  return { name, description, inputSchema: inputSchema(input), annotations: { readOnlyHint: true } };
}

function keyOf(given: unknown): string | null {
  return typeof given === 'string' && given !== '' && given.length <= LONGEST_KEY ? given : null;
}

function resultOf({ isError, told }: CallResult): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(told) }], isError };
}
