import type { AdmissionAnswer } from '../../core/admission/event.js';
import { DISPOSITIONS } from '../../core/admission/event.js';
import { Flag, OneOf, Parts, Text, TextOrNull, Texts, Whole } from '../http/fields.js';

export class AnsweredDeliveryDto {
  @TextOrNull('The route, or `automation:` and the id of an automation; null: it came past the routes.')
  route!: string | null;

  @Text('The conversation.')
  conversation!: string;

  @Text('The delivery.')
  delivery!: string;

  @Whole('Its place in the conversation.')
  sequence!: number;

  @OneOf(['held', 'pending', 'claimed', 'completed'], 'Its state.')
  state!: AdmissionAnswer['deliveries'][number]['state'];
}

/** What was done with an event; the same as the answer of `POST /v1/events/{org}/{source}`. */
export class AnswerDto implements AdmissionAnswer {
  @Flag('Always true.')
  received!: true;

  @Flag('It was there before, and this is what was decided then.')
  duplicate!: boolean;

  @Text('Its receipt.')
  receipt!: string;

  @OneOf(DISPOSITIONS, 'What became of it: the first that applies.')
  disposition!: AdmissionAnswer['disposition'];

  @TextOrNull('Why, as a stable code.')
  reason!: string | null;

  @Whole('How many routes and automations took it.')
  matched!: number;

  @Parts(AnsweredDeliveryDto, 'The deliveries that it made.')
  deliveries!: readonly AnsweredDeliveryDto[];

  @Texts('Runs that it began.')
  runs_created!: readonly string[];

  @Texts('Conversations that it went on with.')
  conversations_continued!: readonly string[];
}
