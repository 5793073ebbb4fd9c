import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, resolve } from 'node:path';

/** Resolves to what keeps `command` from being started in `cwd` with this PATH, for people, or to null. */
export async function commandFault(command: string, path: string | undefined, cwd: string): Promise<string | null> {
  if (!(await isFolder(cwd))) return `the folder ${cwd} does not exist; create it or change the runtime's cwd`;
  const candidates = command.includes('/') ? [command] : (path ?? '').split(delimiter).map((folder) => `${folder || '.'}/${command}`);
  for (const candidate of candidates) {
    if (await isProgram(resolve(cwd, candidate))) return null;
  }
  return command.includes('/')
    ? `the agent command ${command} is no executable file; correct the runtime's command or make the file executable`
    : `the agent command ${command} is not on the PATH; install it, or give its full path in the runtime's command`;
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found?.isDirectory() === true;
}

async function isProgram(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  if (!found?.isFile()) return false;
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
