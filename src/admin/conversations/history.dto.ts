import { ApiProperty } from '../../http/documented.js';
import { Instant, InstantOrNull, OneOf, Parts, Text, TextOrNull, Whole } from '../http/fields.js';

export class TimelineVerdictDto {
  @TextOrNull('The route that took the event; null: the event reached the conversation by the life of its subject, or past the routes.')
  route!: string | null;

  @Text('What the route, or the life of the subject, made of the event here.')
  disposition!: string;

  @TextOrNull('Why.')
  reason!: string | null;
}

const ENTRIES = ['decision', 'note', 'turn_started', 'delivery_completed', 'turn_ended', 'cleanup'];

export class TimelineEntryDto {
  @Instant('When.')
  at!: string;

  @OneOf(
    ENTRIES,
    'decision: about a receipt; note: of what an operator or the life of the subject did; cleanup: what was done behind an end; the others: what came of the deliveries.',
  )
  kind!: string;

  @TextOrNull('By whom: `accept`, an operator, a replica; null: by what the neighbouring entries tell.')
  by!: string | null;

  @Text('The disposition, the kind of note, the outcome, the state of the turn, or the kind of clean-up.')
  what!: string;

  @TextOrNull('Why.')
  reason!: string | null;

  @TextOrNull('The receipt that it is about.')
  receipt!: string | null;

  @TextOrNull('The delivery that it is about.')
  delivery!: string | null;

  @TextOrNull('The turn that it is about.')
  turn!: string | null;

  @Parts(TimelineVerdictDto, 'Of a decision: what each match made of the event in this conversation.')
  verdicts!: TimelineVerdictDto[];
}

export class TurnDto {
  @Text('Its conversation and the token of its claim.')
  id!: string;

  @OneOf(
    ['active', 'pausing', 'paused', 'done', 'failed', 'interrupted', 'abandoned', 'retired', 'reset'],
    'How far it is, or how it ended.',
  )
  state!: string;

  @Whole('First sequence that it was given.')
  from_sequence!: number;

  @Whole('Last sequence that it was given.')
  to_sequence!: number;

  @Whole('1 for the first try of its head.')
  attempt!: number;

  @TextOrNull('What the agent called its session.')
  session!: string | null;

  @TextOrNull("The agent's last word.")
  result!: string | null;

  @TextOrNull('Why it did not end well.')
  error!: string | null;

  @TextOrNull('More about that, such as the end of the error output.')
  detail!: string | null;

  @ApiProperty({ type: Number, description: 'What it cost, in US dollars, as the agent says.' })
  cost_usd!: number;

  @Instant('When it began.')
  started_at!: string;

  @InstantOrNull('When it ended.')
  ended_at!: string | null;
}

export class TranscriptEntryDto {
  @Text('The turn.')
  turn!: string;

  @Whole('Place within the turn.')
  number!: number;

  @Instant('When it was said.')
  at!: string;

  @OneOf(['text', 'status', 'session', 'tool', 'cost', 'result'], 'What kind of thing the agent said or did.')
  kind!: string;

  @ApiProperty({ type: Object, description: 'The thing itself, as the runtime told it.' })
  body!: unknown;
}
