import { NotFound, type Provider } from '../plugin/index.js';
import { checkProvider } from './check-provider.js';

/** The providers of the loaded plugins, by plugin name. */
export class PluginRegistry {
  private readonly providers: ReadonlyMap<string, Provider>;

  constructor(entries: Iterable<readonly [name: string, provider: Provider]>) {
    this.providers = new Map(entries);
    for (const [name, provider] of this.providers) checkProvider(name, provider);
  }

  get(plugin: string): Provider {
    const provider = this.providers.get(plugin);
    if (!provider) throw new NotFound(`no plugin named ${plugin} is loaded`);
    return provider;
  }

  all(): readonly (readonly [string, Provider])[] {
    return [...this.providers];
  }
}
