import type { Scope } from './scope.js';
import { checkExists } from './scope.js';

const BUILT_IN: readonly string[] = ['discord', 'github', 'linear', 'matrix', 'slack', 'webhook'];

/** Tells the fault when no enabled plugin can have this name. What packages and files call themselves is known once they are loaded. */
export function checkPlugin(plugin: string, path: string, scope: Scope): void {
  const enabled = scope.file.plugins;
  if (scope.given.includes(plugin)) return;
  if (BUILT_IN.includes(plugin) && !enabled.includes(plugin)) {
    scope.faults.push({ path, message: `the plugin \`${plugin}\` is not enabled; add it to \`plugins\`` });
  } else if (enabled.every((each) => BUILT_IN.includes(each))) {
    checkExists('plugin', plugin, enabled, path, scope);
  }
}
