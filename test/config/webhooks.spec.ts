import { describe, expect, it } from '@jest/globals';
import { configOf, faultsOf } from './config-folder.js';

const AROUND = `
connections: { gh: { plugin: github, secret: s } }
runtimes: { helper: { kind: echo } }
workspaces: { main: { runtime: helper } }
`;

describe('webhooks of the API in the configuration', () => {
  it('AUT-2 are named by routes and triggers as what they are, and need not be there yet', async () => {
    const { routes, automations } = await configOf(`${AROUND}
routes: { r: { webhook: alerts, workspace: main } }
automations: { a: { triggers: [{ webhook: alerts, on: [fired] }], prompt: Look., runtime: helper } }
`);
    expect(routes).toMatchObject([{ name: 'r', connection: 'alerts' }]);
    expect(automations).toMatchObject([{ spec: { triggers: [{ type: 'event', source: 'alerts', on: ['fired'] }] } }]);
  });

  it('AUT-2 are neither connections, nor trusted', async () => {
    const faults = await faultsOf(`${AROUND}
routes:
  a: { webhook: gh, workspace: main }
  b: { webhook: alerts, connection: gh, workspace: main }
  c: { webhook: alerts, workspace: main, source: private }
  d: { webhook: "No Name", workspace: main }
  e: { workspace: main }
  f: { connection: alerts, workspace: main }
  g: { connection: No Name, workspace: main }
automations:
  a: { triggers: [{ webhook: gh }, { webhook: alerts, source: gh }], prompt: x, runtime: helper }
`);
    const told = [
      'routes.a.webhook: there is a connection `gh`; name it as such',
      'routes.b.webhook: is in place of a connection; write one of them',
      'routes.c.source: a route cannot trust more than its webhook, which is `public`',
      'routes.e.connection: is required and must not be empty',
      'routes.f.connection: there is no connection `alerts`',
      'automations.a.triggers[0].webhook: there is a connection `gh`; name it as such',
      'automations.a.triggers[1].webhook: is in place of a connection; write one of them',
    ];
    expect(faults).toEqual(expect.arrayContaining(told));
    expect(faults.filter((fault) => !told.includes(fault))).toEqual([
      expect.stringMatching(/^routes\.d\.webhook: /),
      expect.stringMatching(/^routes\.g\.connection: /),
    ]);
  });
});
