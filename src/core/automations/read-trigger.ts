import { patternFault } from '../../plugin/expressions/event-pattern.js';
import { expressionFault } from '../../plugin/expressions/expression.js';
import type { CronTrigger, EventTrigger, Trigger } from './automation.js';
import { Fields } from './fields.js';
import { scheduleFault } from './schedule-fault.js';
import type { SpecFault } from './spec-fault.js';
import type { Surroundings } from './surroundings.js';

const LONGEST_SOURCE = 64;
const LONGEST_EXPRESSION = 4000;
const LONGEST_SCHEDULE = 200;
const MOST_PATTERNS = 100;
const MOST_AUTHORS = 500;
const COALESCE = { least: 1, most: 1000 };
const DEFAULT_COALESCE = 20;
const DEBOUNCE = { least: 1, most: 600_000 };

/** A trigger with its defaults, or null: it is neither kind. */
export function readTrigger(raw: unknown, path: string, faults: SpecFault[], around: Surroundings): Trigger | null {
  const fields = Fields.of(raw, path, faults);
  if (fields === null) return null;
  const { value, at } = fields.take('type');
  const read = value === 'event' ? readEvent : value === 'cron' ? readCron : null;
  if (read === null) {
    fields.fault(at, value === null ? 'missing' : 'invalid_value', 'must be `event` or `cron`');
    return null;
  }
  const trigger = read(fields, around);
  fields.close();
  return trigger;
}

function readEvent(fields: Fields, { sources }: Surroundings): EventTrigger {
  const source = fields.requiredText(LONGEST_SOURCE, 'source', 'connection');
  const on = fields.texts({ least: 1, most: MOST_PATTERNS }, 'on');
  for (const { text, at } of on) {
    const message = patternFault(text);
    if (message !== null) fields.fault(at, 'pattern_invalid', message);
  }
  const destination = fields.oneOf(['dispatch_run', 'continue_conversation'], 'destination') ?? 'dispatch_run';
  const subject = expression(fields, 'subject_key_expr', 'subject');
  if (source !== '' && destination === 'continue_conversation' && subject === null)
    checkSubject(fields, source, sources.get(source)?.namesSubjects);
  return {
    type: 'event',
    source,
    on: on.length === 0 ? ['*'] : on.map(({ text }) => text),
    filter: expression(fields, 'filter'),
    destination,
    subject_key_expr: subject,
    turn_text_expr: expression(fields, 'turn_text_expr', 'text'),
    wake_agent: fields.flag('wake_agent', 'wake') ?? true,
    authors: readAuthors(fields),
    coalesce: fields.whole(COALESCE, 'coalesce') ?? DEFAULT_COALESCE,
    debounce_ms: fields.duration(DEBOUNCE, 'debounce'),
  };
}

function checkSubject(fields: Fields, source: string, namesSubjects: boolean | undefined): void {
  if (namesSubjects === true || fields.take('subject_key_expr', 'subject').value !== null) return;
  const why = namesSubjects === undefined ? `nothing is known of \`${source}\`` : `events of \`${source}\` do not say what they are about`;
  fields.fault(fields.at('subject_key_expr'), 'subject_needed', `is required with continue_conversation: ${why}`);
}

/** Compiled here, so that a misspelt function does not look like a trigger that nothing matches. */
function expression(fields: Fields, ...names: readonly [string, ...string[]]): string | null {
  const source = fields.text(LONGEST_EXPRESSION, ...names);
  const message = source === null ? null : expressionFault(source);
  if (message !== null) fields.fault(fields.take(...names).at, 'expression_invalid', message);
  return message === null ? source : null;
}

function readAuthors(fields: Fields): EventTrigger['authors'] {
  const everybody = { allow: [], bots: false, self: false };
  const { value } = fields.take('authors');
  const authors = value === null ? null : fields.within('authors', value);
  if (authors === null) return everybody;
  const allow = authors.texts({ least: 0, most: MOST_AUTHORS }, 'allow').map(({ text }) => text);
  const read = { allow, bots: authors.flag('bots') ?? false, self: authors.flag('self') ?? false };
  authors.close();
  return read;
}

function readCron(fields: Fields): CronTrigger {
  const schedule = fields.requiredText(LONGEST_SCHEDULE, 'schedule').trim();
  const timezone = fields.text(LONGEST_SOURCE, 'timezone') ?? 'UTC';
  const fault = schedule === '' ? null : scheduleFault(schedule, timezone);
  if (fault !== null) fields.fault(fields.at(fault.field), fault.code, fault.message);
  return { type: 'cron', schedule, timezone, catch_up: fields.oneOf(['skip', 'one', 'all'], 'catch_up') ?? 'one' };
}
