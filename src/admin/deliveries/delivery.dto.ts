import type { DeliveryState, Outcome } from '../../core/deliveries/delivery.js';
import { Filter, FilterOneOf, Instant, InstantOrNull, OneOf, OneOfOrNull, Text, TextOrNull, Whole } from '../http/fields.js';
import { PageQuery } from '../http/page.js';

const STATES: readonly DeliveryState[] = ['held', 'pending', 'claimed', 'completed'];
const OUTCOMES: readonly Outcome[] = [
  'done',
  'lifecycle',
  'suppressed',
  'ignored',
  'retired',
  'reset',
  'withdrawn',
  'interrupted',
  'superseded',
  'skipped',
  'dead',
];

export class DeliveryQuery extends PageQuery {
  @FilterOneOf(STATES, 'How far it is.')
  state?: DeliveryState;

  @FilterOneOf(OUTCOMES, 'How it ended.')
  outcome?: Outcome;

  @Filter('Id of its conversation.')
  conversation?: string;
}

export class DeliveryDto {
  @Text('Its conversation and its place there.')
  id!: string;

  @Text('The conversation.')
  conversation!: string;

  @Text('The receipt that it was made of.')
  receipt!: string;

  @TextOrNull('The route that made it; null: it came past the routes.')
  route!: string | null;

  @Whole('Its place in the conversation; never changed.')
  sequence!: number;

  @OneOf(['prompt', 'lifecycle'], 'Whether it is for the agent, or about the life of the subject.')
  kind!: string;

  @OneOf(STATES, 'How far it is.')
  state!: string;

  @OneOfOrNull(OUTCOMES, 'How it ended; null until then.')
  outcome!: string | null;

  @TextOrNull('Why it ended so.')
  reason!: string | null;

  @Whole('Attempts that the agent reported as failed.')
  attempts!: number;

  @Whole('Attempts that were lost without a fault of the agent.')
  interruptions!: number;

  @InstantOrNull('When it is tried again.')
  due_at!: string | null;

  @TextOrNull('What went wrong last.')
  failure!: string | null;

  @OneOf(['trusted', 'untrusted'], 'Whether only trusted people can have caused it.')
  trust!: string;

  @Text('The connection where the event arrived, or `api`.')
  source!: string;

  @Text('Kind and action of the event.')
  event_key!: string;

  @Instant('When the event arrived.')
  received_at!: string;

  @InstantOrNull('When it was completed.')
  completed_at!: string | null;
}
