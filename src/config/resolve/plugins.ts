import type { Scope } from './scope.js';
import { checkExists } from './scope.js';

const BUILT_IN: readonly string[] = ['discord', 'github', 'linear', 'slack', 'webhook'];
const NOT_BUILT: readonly string[] = ['matrix'];

export function resolvePlugins({ file: { plugins }, faults }: Scope): readonly string[] {
  plugins.forEach((plugin, index) => {
    if (NOT_BUILT.includes(plugin)) {
      faults.push({ path: `plugins[${index}]`, message: `the plugin \`${plugin}\` is not built yet in this version` });
    }
  });
  return plugins;
}

/** Tells the fault when no enabled plugin can have this name. What packages and files call themselves is known once they are loaded. */
export function checkPlugin(plugin: string, path: string, scope: Scope): void {
  const enabled = scope.file.plugins;
  if (NOT_BUILT.includes(plugin)) {
    scope.faults.push({ path, message: `the plugin \`${plugin}\` is not built yet in this version` });
  } else if (BUILT_IN.includes(plugin) && !enabled.includes(plugin)) {
    scope.faults.push({ path, message: `the plugin \`${plugin}\` is not enabled; add it to \`plugins\`` });
  } else if (enabled.every((each) => BUILT_IN.includes(each))) {
    checkExists('plugin', plugin, enabled, path, scope);
  }
}
