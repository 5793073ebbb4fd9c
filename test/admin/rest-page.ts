import type { OpenAPIObject } from '@nestjs/swagger';

type Loose = any;

/** The OpenAPI document as a page to read: what each address takes and gives. */
export function restPage(document: OpenAPIObject): string {
  const operations = Object.entries(document.paths).flatMap(([url, item]) =>
    Object.entries(item as Loose).map(([method, operation]) => ({ url, method: method.toUpperCase(), operation: operation as Loose })),
  );
  const tags = [...new Set(operations.flatMap(({ operation }) => operation.tags ?? ['other']))].toSorted();
  const sections = tags.map((tag) => {
    const own = operations.filter(({ operation }) => (operation.tags ?? ['other']).includes(tag));
    return `## ${tag}\n\n${own
      .toSorted((a, b) => (a.url < b.url ? -1 : 1))
      .map(operationText)
      .join('\n')}`;
  });
  const schemas = Object.entries((document.components?.schemas ?? {}) as Loose).filter(([name]) => !name.endsWith('Page'));
  return [
    '# REST reference\n',
    'Made from the OpenAPI document that a server serves at `/openapi.json`; [operating.md](operating.md) says what it is all for.\n',
    ...sections,
    '## Objects\n',
    ...schemas.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, schema]) => schemaText(name, schema as Loose)),
  ].join('\n');
}

function operationText({ url, method, operation }: { url: string; method: string; operation: Loose }): string {
  const parameters = (operation.parameters ?? []).filter((each: Loose) => each.in !== 'path' && each.name !== 'org');
  const body = operation.requestBody?.content?.['application/json']?.schema;
  const given = Object.entries(operation.responses as Loose).map(([status, response]) =>
    `${status} ${answerText(response as Loose)}`.trim(),
  );
  return [
    `### \`${method} ${url}\`\n`,
    `${[operation.summary, operation.description].filter(Boolean).map(sentence).join(' ')}\n`,
    ...parameters.map(
      (each: Loose) => `- \`${each.name}\`${each.in === 'header' ? ' (header)' : ''}: ${typeText(each.schema)}. ${each.description}`,
    ),
    ...(body ? [`- body: ${typeText(body)}`] : []),
    `- answers: ${given.join('; ')}\n`,
  ].join('\n');
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function answerText({ content }: Loose): string {
  const [[type, { schema }]] = (Object.entries(content ?? { '': { schema: null } }) as Loose) ?? [];
  if (schema?.$ref === '#/components/schemas/Problem') return '';
  return schema ? typeText(schema) || type : '';
}

function schemaText(name: string, schema: Loose): string {
  const required = new Set<string>(schema.required ?? []);
  const rows = Object.entries((schema.properties ?? {}) as Loose).map(
    ([field, property]) =>
      `| \`${field}\`${required.has(field) ? '' : ' (optional)'} | ${typeText(property as Loose)} | ${cell((property as Loose).description)} |`,
  );
  return [`### ${name}\n`, '| field | type | meaning |', '|---|---|---|', ...rows, ''].join('\n');
}

function typeText(schema: Loose): string {
  const named = schema.$ref ?? schema.allOf?.[0]?.$ref;
  const own = named ? linked(named.split('/').at(-1)) : schema.type === 'array' ? `list of ${typeText(schema.items)}` : plain(schema);
  return schema.nullable ? `${own} or null` : own;
}

function linked(name: string): string {
  return name.endsWith('Page') ? `a page of ${linked(name.replace(/Page$/, ''))}` : `[${name}](#${name.toLowerCase()})`;
}

function plain({ type, format, enum: values, default: standard, oneOf }: Loose): string {
  const of = oneOf
    ? oneOf.map(typeText).join(' or ')
    : values
      ? values.map((value: string) => `\`${value}\``).join(', ')
      : (format ?? type ?? 'anything');
  return standard === undefined ? of : `${of}; default ${standard}`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
