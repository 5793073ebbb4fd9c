import { type DynamicModule, Module, type ModuleMetadata } from '@nestjs/common';
import { McpController } from './mcp.controller.js';

@Module({})
export class ToolsModule {
  /** `imports` export `Database` and `McpHost`. */
  static using(imports: NonNullable<ModuleMetadata['imports']>): DynamicModule {
    return { module: ToolsModule, imports, controllers: [McpController] };
  }
}
