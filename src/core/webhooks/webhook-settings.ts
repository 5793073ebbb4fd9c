/** What the API takes as one expression over the payload, and what the plugin calls it. */
export const EXPRESSIONS = {
  subject_expr: 'subject',
  text_expr: 'text',
  title_expr: 'title',
  url_expr: 'url',
  author_expr: 'author',
  message_key_expr: 'messageKey',
  occurred_at_expr: 'occurredAt',
  terminal_expr: 'terminal',
  open_expr: 'open',
  reason_expr: 'reason',
  revision_expr: 'revision',
} as const;

export type ExpressionField = keyof typeof EXPRESSIONS;
export const EXPRESSION_FIELDS = Object.keys(EXPRESSIONS) as readonly ExpressionField[];

/** How a custom webhook's events are proved and read, as a person wrote it; what is not there has its default. */
export interface WebhookSettings extends Partial<Readonly<Record<ExpressionField, string>>> {
  readonly signature_scheme?: string | object;
  readonly signature_header?: string;
  readonly event_id_header?: string;
  readonly event_id_expr?: string;
  readonly event_key_header?: string;
  readonly event_key_expr?: string;
  readonly format?: 'json' | 'cloudevents';
  readonly unique_bodies?: boolean;
}

export const SETTINGS: readonly (keyof WebhookSettings)[] = [
  ...(['signature_scheme', 'signature_header', 'event_id_header', 'event_id_expr', 'event_key_header', 'event_key_expr'] as const),
  ...(['format', 'unique_bodies'] as const),
  ...EXPRESSION_FIELDS,
];

/** The settings with some changed; null takes one away. */
export function amendedSettings(settings: WebhookSettings, patch: Readonly<Record<string, unknown>>): WebhookSettings {
  const known = Object.entries({ ...settings, ...patch }).filter(([name]) => SETTINGS.some((each) => each === name));
  return Object.fromEntries(known.filter(([, value]) => value !== undefined && value !== null));
}

/** Its events say what they are about, without an expression of the automation. */
export function namesSubjects({ subject_expr }: WebhookSettings): boolean {
  return subject_expr !== undefined;
}

/** The options of a connection of the plugin `webhook` that does the same. */
export function optionsOf(settings: WebhookSettings): Record<string, unknown> {
  const { signature_scheme, signature_header, format, unique_bodies } = settings;
  const options: Record<string, unknown> = {
    signature: signature_scheme,
    signatureHeader: signature_header,
    deliveryId: partOf(settings.event_id_header, settings.event_id_expr)[0],
    eventKey: partsOf(settings.event_key_header, settings.event_key_expr),
    format,
    uniqueBodies: unique_bodies,
    ...Object.fromEntries(EXPRESSION_FIELDS.map((field) => [EXPRESSIONS[field], settings[field]])),
  };
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

/** What a person called the plugin's option. */
export function fieldOf(option: string, settings: WebhookSettings): string {
  switch (option) {
    case 'signature':
      return 'signature_scheme';
    case 'signatureHeader':
      return 'signature_header';
    case 'uniqueBodies':
      return 'unique_bodies';
    case 'deliveryId':
      return settings.event_id_header === undefined ? 'event_id_expr' : 'event_id_header';
    case 'eventKey':
      return settings.event_key_expr === undefined ? 'event_key_header' : 'event_key_expr';
    default:
      return EXPRESSION_FIELDS.find((field) => EXPRESSIONS[field] === option) ?? option;
  }
}

type Part = string | { readonly header: string };

function partOf(header: string | undefined, expression: string | undefined): Part[] {
  return [...(header === undefined ? [] : [{ header }]), ...(expression === undefined ? [] : [expression])];
}

function partsOf(header: string | undefined, expression: string | undefined): Part[] | undefined {
  const parts = partOf(header, expression);
  return parts.length === 0 ? undefined : parts;
}
