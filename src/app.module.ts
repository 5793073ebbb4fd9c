import { type DynamicModule, Module } from '@nestjs/common';
import { AdminModule } from './admin/admin.module.js';
import { HostModule } from './compose/host.module.js';
import type { HostParts } from './compose/host-parts.js';
import { IngressModule } from './ingress/ingress.module.js';
import { PluginHostModule } from './plugin-host/plugin-host.module.js';
import { ToolsModule } from './tools/tools.module.js';

/** The one place that names every module. */
@Module({})
export class AppModule {
  static using(parts: HostParts): DynamicModule {
    return {
      module: AppModule,
      imports: [
        HostModule.using(parts, PluginHostModule.using(parts.plugins)),
        IngressModule.using([]),
        AdminModule.using([]),
        ToolsModule.using([]),
      ],
    };
  }
}
