import { DISPOSITIONS } from '../../core/admission/event.js';
import { SubjectDto } from '../conversations/conversation.dto.js';
import {
  Filter,
  FilterOneOf,
  Flag,
  Instant,
  OneOf,
  OneOfOrNull,
  Part,
  PartOrNull,
  Parts,
  Since,
  Text,
  TextOrNull,
  Texts,
  Whole,
  WholeOrNull,
} from '../http/fields.js';
import { OrgQuery, PageQuery } from '../http/page.js';

export class ReceiptQuery extends PageQuery {
  @Filter('The connection where it arrived, or `api`.')
  source?: string;

  @FilterOneOf(DISPOSITIONS, 'What became of it, by the latest decision.')
  disposition?: string;

  @Filter('Why, by the latest decision.')
  reason?: string;

  @Filter(
    "The provider's own id of the delivery. Of a configured connection it is found at once, else by a search of the ledger, page by page.",
  )
  delivery_id?: string;

  @FilterOneOf(['true'], 'Only those under whose id other content came, too.')
  conflicting?: 'true';

  @Since('Received then or later; ISO 8601, or epoch milliseconds.')
  since?: number;
}

export class ReceiptDetailQuery extends OrgQuery {
  @FilterOneOf(['true', 'false'], 'False leaves the payload out.')
  payload?: 'true' | 'false';
}

export class RepeatsDto {
  @Whole('How often it came again.')
  duplicates!: number;

  @Whole('How often it came again with other content; the first is kept.')
  conflicts!: number;
}

export class ConflictDto {
  @Text('SHA-256 of what came under the id of this receipt, in hexadecimal digits.')
  content_hash!: string;

  @Whole('Its bytes.')
  payload_size!: number;

  @Whole('How often it came.')
  count!: number;

  @Instant('When it came first.')
  first_at!: string;

  @Instant('When it came last.')
  last_at!: string;
}

export class ReceiptDto {
  @Text('Its id.')
  id!: string;

  @Text('The organisation.')
  org!: string;

  @Text('The plugin, or `throughline`.')
  provider!: string;

  @Text('The connection where it arrived, or `api`.')
  source!: string;

  @Text("The provider's own id of the delivery.")
  delivery_id!: string;

  @Text('Kind and action of the event.')
  event_key!: string;

  @Instant('When it was stored.')
  received_at!: string;

  @OneOf(DISPOSITIONS, 'What became of it, by the latest decision.')
  disposition!: string;

  @TextOrNull('Why, by the latest decision.')
  reason!: string | null;

  @Whole('How many routes and automations took it, by the latest decision.')
  matched!: number;

  @Part(RepeatsDto, 'How often it came again.')
  repeats!: RepeatsDto;

  @WholeOrNull('Which secret verified it, 0 the newest; null: none was needed.')
  secret_index!: number | null;

  @Whole('Bytes of the payload as it came.')
  payload_size!: number;

  @Flag('Only the beginning of the payload was stored.')
  payload_cut!: boolean;
}

export class CandidateDto {
  @TextOrNull('The route, or `automation:` and the id of an automation; null: the life of the subject, or a message past the routes.')
  route!: string | null;

  @Flag('Whether the route took the event.')
  matched!: boolean;

  @OneOfOrNull(DISPOSITIONS, 'What became of it there; null where the route did not take it.')
  disposition!: string | null;

  @TextOrNull('Why.')
  reason!: string | null;

  @TextOrNull('What was compared with what.')
  detail!: string | null;

  @TextOrNull('The conversation.')
  conversation!: string | null;

  @TextOrNull('The delivery that was made.')
  delivery!: string | null;

  @TextOrNull('The run of the automation that it began, or that was not to begin.')
  run!: string | null;
}

export class DecisionDto {
  @Whole('0 is the decision of acceptance; the others are replays, and what became of what was held.')
  number!: number;

  @Instant('When.')
  at!: string;

  @Text('By whom: `accept`, an operator, or for what was held: `host`, which wrote, or `reader`, which asked the provider.')
  by!: string;

  @OneOf(DISPOSITIONS, 'What became of the event.')
  disposition!: string;

  @TextOrNull('Why.')
  reason!: string | null;

  @Whole('How many routes and automations took it.')
  matched!: number;

  @Texts('Writes of ours that may have caused it, or did: see `/webhook-effects`.')
  effects!: readonly string[];

  @Parts(CandidateDto, 'Each route and conversation that was considered.')
  candidates!: CandidateDto[];
}

export class ReceiptDetailDto extends ReceiptDto {
  @PartOrNull(SubjectDto, 'What the event is about.')
  subject!: SubjectDto | null;

  @TextOrNull('A line for people.')
  title!: string | null;

  @Parts(DecisionDto, 'All decisions, the first first.')
  decisions!: DecisionDto[];

  @Parts(CandidateDto, 'Those of the latest decision.')
  candidates!: CandidateDto[];

  @Parts(ConflictDto, 'Other contents that came under its id; nothing was done with them.')
  conflicts!: ConflictDto[];

  @TextOrNull('The exact bytes that were received; null: pruned, purged, or not asked for.')
  payload!: string | null;

  @OneOfOrNull(['utf8', 'base64'], 'How the payload is written here.')
  payload_encoding!: 'utf8' | 'base64' | null;
}
