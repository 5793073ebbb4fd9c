import { type DynamicModule, Module } from '@nestjs/common';
import type { PluginDefinition, Provider } from '../plugin/index.js';
import { PluginRegistry } from './plugin-registry.js';

@Module({})
export class PluginHostModule {
  /** Each plugin's own module, made to export its provider, and the registry of all of them. */
  static using(plugins: readonly PluginDefinition[]): DynamicModule {
    return {
      module: PluginHostModule,
      imports: plugins.map(({ module, provider }) => ({ module, providers: [provider], exports: [provider] })),
      providers: [
        {
          provide: PluginRegistry,
          inject: plugins.map(({ provider }) => provider),
          useFactory: (...providers: Provider[]) => new PluginRegistry(plugins.map(({ name }, i) => [name, providers[i] as Provider])),
        },
      ],
      exports: [PluginRegistry],
    };
  }
}
