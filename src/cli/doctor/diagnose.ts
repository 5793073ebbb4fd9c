import type { Config } from '../../config/config.js';
import type { ConfigOption } from '../config-option.js';
import type { Terminal } from '../terminal.js';
import { checkAccess } from './check-access.js';
import { checkConfig, connectionFaults, faultSections, withoutSecret } from './check-config.js';
import { checkConnections } from './check-connections.js';
import { checkControls } from './check-controls.js';
import { checkDatabase } from './check-database.js';
import { checkServer } from './check-server.js';
import { checkSources } from './check-sources.js';
import { checkWorkspaces } from './check-work.js';
import { type Finding, ok, type Section } from './finding.js';
import { checkFreeSpace } from './folders.js';
import { loadLeniently } from './lenient-config.js';

/** Looks at everything that a server of this configuration needs. Changes nothing. */
export async function diagnose(terminal: Terminal, options: ConfigOption): Promise<Section[]> {
  const lenient = await loadLeniently(terminal, options);
  const node = ok('Node', process.versions.node);
  const faults = connectionFaults(lenient);
  if (lenient.loaded === null) {
    return [{ title: 'Machine', findings: [node] }, checkConfig(lenient), ...faultSections(faults, [])];
  }
  const { config } = lenient.loaded;
  const connections = checkConnections(config, withoutSecret(lenient)).map((section, index) =>
    withFaults(section, faults.get(config.connections[index]?.name ?? '')),
  );
  return [
    { title: 'Machine', findings: [node, await checkFreeSpace(config.dataDir)] },
    checkConfig(lenient),
    ...(await storeSections(config, terminal)),
    { title: 'Server', findings: await checkServer(config.server) },
    ...connections,
    ...faultSections(faults, connections),
    ...(await checkWorkspaces(config, terminal)),
  ];
}

function withFaults({ title, findings }: Section, faults: readonly Finding[] = []): Section {
  return { title, findings: [...faults, ...findings] };
}

async function storeSections(config: Config, terminal: Terminal): Promise<Section[]> {
  const { findings, database } = await checkDatabase(config);
  const hasTables = findings.some(({ name, verdict }) => name === 'Schema' && verdict === 'ok');
  try {
    const access = await checkAccess(terminal, config.dataDir, hasTables ? database : null);
    return [
      { title: 'Database', findings },
      { title: 'Access', findings: access },
      ...(hasTables && database ? [...(await checkSources(config, database)), ...(await checkControls(config, database))] : []),
    ];
  } finally {
    await database?.close();
  }
}
