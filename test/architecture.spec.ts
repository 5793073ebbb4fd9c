import { describe, expect, it } from '@jest/globals';
import { cyclesIn } from '../scripts/house/imports.mjs';
import { readSources } from '../scripts/house/sources.mjs';
import { violationsIn } from './house/architecture.js';

/** The faults of a project that has the given files, by file and import. */
function faultsOf(files: Record<string, string>): string[] {
  return violationsIn(new Map(Object.entries(files)));
}

describe('the architecture', () => {
  const sources = readSources(['src', 'plugins']);

  it('has imports that point down, and plugins that know the public API alone', () => {
    expect(sources.size).toBeGreaterThan(0);
    expect(violationsIn(sources)).toEqual([]);
  });

  it('has no import cycle, types included', () => {
    expect(cyclesIn(sources)).toEqual([]);
  });
});

describe('the architecture check', () => {
  it('finds a plugin that imports the framework by a path, by another name, or a neighbour', () => {
    const faults = faultsOf({
      'plugins/acme/index.ts': `
        import { definePlugin } from 'throughline/plugin';
        import { createHash } from 'node:crypto';
        import { options } from './acme.options.js';
        import { Database } from '../../src/database/database.js';
        import { accept } from 'throughline/core';
        export { parse } from '../linear/linear.subjects.js';`,
    });
    expect(faults).toEqual([
      'plugins/acme/index.ts:5 imports ../../src/database/database.js: a plugin imports no file out of its own folder',
      'plugins/acme/index.ts:6 imports throughline/core: a plugin knows the framework as throughline/plugin alone',
      'plugins/acme/index.ts:7 imports ../linear/linear.subjects.js: a plugin imports no file out of its own folder',
    ]);
  });

  it('finds an SDK outside the one file that may import it, also when it is loaded late', () => {
    const load = "export const sdk = () => import('@linear/sdk');";
    const faults = faultsOf({ 'plugins/linear/linear.client.ts': load, 'plugins/linear/linear.subjects.ts': load });
    expect(faults).toEqual([
      "plugins/linear/linear.subjects.ts:1 imports @linear/sdk: a plugin's packages are imported in linear.client.ts alone",
    ]);
  });

  it('finds imports that point up or to a neighbour, also of types', () => {
    const faults = faultsOf({
      'src/plugin/index.ts': "import type { Turn } from '../core/turns/turn.js';",
      'src/database/database.ts': "import { ConfigFault } from '../plugin/errors.js';\nimport { definePlugin } from '../plugin/index.js';",
      'src/core/clock.ts': "type Worker = import('../worker/worker.js').Worker;",
      'src/worker/worker.ts': "import { clock } from '../core/clock.js';\nimport { Ingress } from '../ingress/ingress.js';",
      'src/ingress/ingress.ts': "import { AppModule } from '../app.module.js';",
      'src/app.module.ts': "import { Ingress } from './ingress/ingress.js';",
    });
    expect(faults.map((fault) => fault.split(' imports ')[0])).toEqual([
      'src/plugin/index.ts:1',
      'src/database/database.ts:2',
      'src/core/clock.ts:1',
      'src/worker/worker.ts:2',
      'src/ingress/ingress.ts:1',
    ]);
  });

  it('finds a folder that no layer is known for', () => {
    const faults = faultsOf({ 'src/helpers/strings.ts': "import '../plugin/index.js';" });
    expect(faults).toEqual(['src/helpers/strings.ts:1 imports ../plugin/index.js: the layer of src/helpers/strings.ts is not known']);
  });

  it("finds a concept that uses another's use case, and a pure file that uses a store", () => {
    const store = "import type { Tx } from '../../database/tx.js';";
    const faults = faultsOf({
      'src/core/turns/turn.ts': "import { findTurn } from './turns.js';",
      'src/core/turns/turns.ts': store,
      'src/core/turns/finish-turn.ts':
        "import { complete } from '../deliveries/deliveries.js';\nimport { retry } from '../deliveries/retry-delivery.js';",
      'src/core/deliveries/deliveries.ts': store,
      'src/core/deliveries/retry-delivery.ts': "import { complete } from './deliveries.js';",
      'src/core/recovery/recover.ts': "import { retry } from '../deliveries/retry-delivery.js';",
    });
    expect(faults).toEqual([
      'src/core/turns/turn.ts:1 imports ./turns.js: a pure file may not use a store',
      'src/core/turns/finish-turn.ts:2 imports ../deliveries/retry-delivery.js: the concept turns may not use a use case of deliveries',
    ]);
  });

  it('finds a cycle over three files, and a file that imports itself', () => {
    const sources = {
      'src/a.ts': "import './b.js';",
      'src/b.ts': "export type { C } from './c.js';",
      'src/c.ts': "import type { A } from './a.js';",
      'src/d.ts': "import './d.js';",
      'src/e.ts': "import './a.js';",
    };
    expect(cyclesIn(new Map(Object.entries(sources)))).toEqual([['src/a.ts', 'src/b.ts', 'src/c.ts'], ['src/d.ts']]);
  });
});
