import { describe, expect, it } from '@jest/globals';
import { configOf, faultsOf, folderWith } from './config-folder.js';

const AROUND = `
connections: { gh: { plugin: github, secret: s }, hooks: { plugin: webhook, secret: s }, theirs: { plugin: github, secret: s, org: acme } }
runtimes: { helper: { kind: echo }, agent: { kind: process, preset: codex } }
workspaces: { main: { runtime: agent }, away: { runtime: agent, org: acme } }
orgs: [default, acme]
`;

describe('automations in the configuration', () => {
  it('AUT-1 are named by their keys, and complete', async () => {
    const { automations } = await configOf(`${AROUND}
automations:
  triage:
    triggers:
      - { source: gh, on: ["issues.opened"], destination: continue_conversation }
      - { connection: hooks, subject: id, text: title, wake: false, debounce: 2s }
      - { schedule: "0 9 * * 1-5", timezone: Europe/Berlin, catch_up: skip }
    prompt: Look at it.
    workspace: main
  by-hand: { org: acme, enabled: false, triggers: [], prompt: x, runtime: helper, timeout: 30s, keep_alive: true, concurrency: queue, on_sandbox_gone: drop, on_edit: keep }
`);
    expect(automations).toMatchObject([
      {
        ...{ org: 'default', enabled: true },
        spec: {
          name: 'triage',
          triggers: [
            { type: 'event', source: 'gh', on: ['issues.opened'], destination: 'continue_conversation', wake_agent: true },
            {
              type: 'event',
              source: 'hooks',
              on: ['*'],
              subject_key_expr: 'id',
              turn_text_expr: 'title',
              wake_agent: false,
              debounce_ms: 2000,
            },
            { type: 'cron', schedule: '0 9 * * 1-5', timezone: 'Europe/Berlin', catch_up: 'skip' },
          ],
          ...{
            prompt: 'Look at it.',
            tarball: null,
            runtime: null,
            workspace: 'main',
            timeout_ms: 600_000,
            keep_alive: true,
            on_edit: null,
          },
        },
      },
      {
        ...{ org: 'acme', enabled: false },
        spec: {
          name: 'by-hand',
          triggers: [],
          timeout_ms: 30_000,
          keep_alive: true,
          concurrency: 'queue',
          on_sandbox_gone: 'drop',
          on_edit: 'keep',
        },
      },
    ]);
  });

  it('AUT-1 take their prompt from a file, and keys from the environment', async () => {
    const cwd = folderWith({
      'throughline.config.yaml': `${AROUND}\nautomations: { a: { triggers: [], prompt: { file: ./prompt.md }, runtime: helper } }`,
      'prompt.md': 'Look at it.\n',
    });
    const env = { THROUGHLINE_AUTOMATIONS__A__TIMEOUT: '20m', THROUGHLINE_AUTOMATIONS__A__TRIGGERS: '[{ schedule: "0 9 * * *" }]' };
    const { automations } = await configOf('', { cwd, env });
    expect(automations).toMatchObject([{ spec: { prompt: 'Look at it.', timeout_ms: 1_200_000, triggers: [{ type: 'cron' }] } }]);
  });

  it('AUT-1 AUT-2 AUT-3 tell every fault at once, each with its path', async () => {
    const faults = await faultsOf(`${AROUND}
automations:
  a:
    triggers:
      - { source: gth, on: ["{a"], filter: "a[" }
      - { source: theirs }
      - { source: hooks, destination: continue_conversation }
      - { schedule: "0 0 30 2 *" }
      - { schedule: "0 9 * * *", timezone: Mars, sorce: gh }
      - { source: gh, schedule: "0 9 * * *", wake: maybe }
    prompt: x
    tarball: s3://bucket/x
    workspace: away
    timeout: 31m
    keep_alive: false
  b: { promt: x, timeout: 5 }
  c: { triggers: {}, prompt: x, runtime: helper }
  D: { triggers: [], prompt: x, runtime: helper, org: nobody }
`);
    const starts = [
      'automations.a.triggers[4].sorce: unknown key `sorce`; did you mean `source`?',
      'automations.a.triggers[5].wake: must be true or false',
      'automations.b.promt: unknown key `promt`; did you mean `prompt`?',
      'automations.b.timeout: has no unit',
      'automations.c.triggers: must be a list',
      'automations.D: the name must be',
      'automations.a.triggers[0].on[0]: ',
      'automations.a.triggers[0].filter: does not parse',
      'automations.a.triggers[2].subject_key_expr: is required with continue_conversation',
      'automations.a.triggers[3].schedule: names a time that never comes',
      'automations.a.triggers[4].timezone: must be the IANA name',
      'automations.a.triggers[5].source: is not known here',
      'automations.a.tarball: cannot stand beside `prompt`',
      'automations.a.workspace: names no workspace of the organisation',
      'automations.a.timeout: must be seconds or a duration',
      'automations.a.keep_alive: cannot be false',
      'automations.a.triggers[0].source: there is no connection `gth`',
      'automations.a.triggers[1].source: there is no connection `theirs`',
      'automations.b.triggers: must be a list of triggers',
      'automations.b.prompt: is required',
      'automations.b.runtime: or `workspace` is required',
      'automations.D.org: there is no org `nobody`',
    ];
    for (const start of starts) expect(faults.filter((fault) => fault.startsWith(start))).toHaveLength(1);
    expect(faults).toHaveLength(starts.length);
  });
});
