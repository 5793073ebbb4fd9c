import type { Type } from '@nestjs/common';
import { KINDS } from './json-schema.js';
import { type Field, fieldsOf, opennessOf } from './schema/field.js';
import { ConfigFile } from './schema/root.js';
import { RuntimeSection } from './schema/runtime.js';

const INTRODUCTION = `# Configuration

<!-- Made from the classes in src/config/schema; change those, then run \`node dist/src/config/generate.js\`. -->

One file beside the place where the server starts: \`throughline.config.ts\`, \`.mjs\`, \`.js\`, \`.json\`, \`.yaml\` or \`.yml\`. \`--config FILE\` or
\`THROUGHLINE_CONFIG\` names another one. \`throughline init\` writes a commented YAML file. No file, or an empty one, is legal: the
built-in plugins, no connections. A changed file takes effect at the next start.

The whole file is checked at start. Everything that is wrong is told at once, each with file and path, and the process exits
with 2. A key without a value counts as left out. \`throughline.schema.json\` describes the file to editors.

## Values

| type | for example |
|---|---|
| text | \`hooks.example.com\`; wherever text stands, a reference may stand too |
| name | \`my-team\`: 1 to 64 lower-case letters, digits, \`.\`, \`_\` and \`-\`; a letter or digit first and last |
| duration | \`250ms\`, \`5s\`, \`5m\`, \`1h\`, \`7d\`; a number without unit is refused |
| size | \`25mb\`, \`512kb\` (powers of 1024), or a whole number of bytes |

## References

\`\`\`yaml
secret: { env: GITHUB_WEBHOOK_SECRET }   # an environment variable
instructions: { file: ./agent.md }       # a file, relative to the configuration; one line break at its end is cut off
\`\`\`

A variable that is not set or empty, and a file that cannot be read or is empty, are faults. Variables may also stand in a file \`.env\`
beside the configuration; the real environment comes first. That file serves references alone: it sets nothing in the
environment of the server or its agents, and overrides no keys.

## Overrides

Every key can be set by an environment variable: \`THROUGHLINE_\`, then the path with two underscores between levels. Case, \`_\`, \`-\` and
\`.\` do not count when keys are matched: \`THROUGHLINE_SERVER__PUBLIC_URL\` is \`server.publicUrl\`, and
\`THROUGHLINE_CONNECTIONS__MY_REPO__SECRET\` is \`connections.my-repo.secret\` where there is a \`my-repo\`, else it makes a \`my_repo\`.
A text is taken as it stands; other values are YAML: \`8080\`, \`true\`, \`[a, b]\`. A key of a plugin's own that the file does not have is
written with \`_\` before each capital: \`BOT_TOKEN\` for \`botToken\`. A variable that names no key is a fault.

Not overrides are \`THROUGHLINE_ADMIN_TOKEN\`, \`THROUGHLINE_CONFIG\`, \`THROUGHLINE_ENCRYPTION_KEY\`, \`THROUGHLINE_TEST_PG_URL\`, and the variables
that agents are given.
`;

/** The page docs/configuration.md. */
export function configReference(): string {
  const parts = [INTRODUCTION, '## Keys', ''];
  parts.push(...table(ConfigFile), ...nestedSections(ConfigFile, ''));
  return `${parts.join('\n').trimEnd()}\n`;
}

const SUFFIX = { section: '', entries: '.<name>', list: '[]' } as const;

function nestedSections(of: Type<object>, path: string): string[] {
  return [...fieldsOf(of)].flatMap(([key, { nested, about }]) => {
    if (nested === null || nested.shape === 'variables') return [];
    const at = `${path}${key}${SUFFIX[nested.shape]}`;
    return [...section(at, nested.of(), about), ...nestedSections(nested.of(), `${at}.`)];
  });
}

function section(path: string, of: Type<object>, about: string): string[] {
  const lines = ['', `### \`${path}\``, '', about];
  if (of !== RuntimeSection && opennessOf(of) !== null) lines.push('Further keys are the plugin’s own: see its page.');
  if (of === RuntimeSection) lines.push('Further keys belong to the kind.');
  lines.push('', ...table(of));
  if (of !== RuntimeSection) return lines;
  return [...lines, ...KINDS.flatMap(([kind, options]) => ['', `#### \`${path}\` with \`kind: ${kind}\``, '', ...table(options)])];
}

function table(of: Type<object>): string[] {
  const defaults = new of();
  const rows = [...fieldsOf(of)]
    .filter(([, field]) => field.built)
    .map(([key, field]) => [`\`${key}\``, field.type, defaultOf(field, Reflect.get(defaults, key)), field.about])
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`);
  return ['| key | type | default | meaning |', '|---|---|---|---|', ...rows];
}

function defaultOf({ required, nested }: Field, value: unknown): string {
  if (required) return 'required';
  if (value === undefined || (nested !== null && nested.shape !== 'variables')) return '';
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}
