import { writeFileSync } from 'node:fs';
import { configSchema } from './json-schema.js';
import { configReference } from './reference.js';

// Writes what is made from the schema classes: `node dist/src/config/generate.js` in the root of the repository.
writeFileSync('throughline.schema.json', `${JSON.stringify(configSchema(), null, 2)}\n`);
writeFileSync('docs/configuration.md', configReference());
