import { STATUSES } from '../../core/conversations/list-conversations.js';
import { ControlDto } from '../controls/control.dto.js';
import { Filter, FilterOneOf, Flag, Instant, InstantOrNull, OneOf, Part, PartOrNull, Text, TextOrNull, Whole } from '../http/fields.js';
import { PageQuery } from '../http/page.js';

export const STATES = ['open', 'terminal'];

export class ConversationQuery extends PageQuery {
  @FilterOneOf(STATES, 'Whether its subject lives.')
  state?: string;

  @FilterOneOf(STATUSES, 'What it is doing.')
  status?: string;

  @Filter('Name of its workspace.')
  workspace?: string;

  @Filter('Namespace of its subject.')
  namespace?: string;

  @Filter('Key of its subject.')
  key?: string;

  @Filter('Part of its title or of the key of its subject, in any case.')
  q?: string;
}

export class SubjectDto {
  @Text('Provider, tenant and kind.')
  namespace!: string;

  @Text('The immutable id within it.')
  key!: string;
}

export class TerminalDto {
  @Text('Why it ended.')
  reason!: string;

  @TextOrNull("The provider's revision of that state.")
  revision!: string | null;

  @InstantOrNull('Since when we know.')
  at!: string | null;
}

export class QueueDto {
  @Whole('Deliveries that an effect of ours may have caused.')
  held!: number;

  @Whole('Deliveries that wait.')
  pending!: number;

  @Whole('Deliveries that are being worked on.')
  claimed!: number;

  @Whole('Deliveries that are done with, one way or another.')
  completed!: number;
}

const WAITING = [
  'retry',
  'preparation',
  'held',
  'stalled',
  'unconfigured',
  'looping',
  'spent',
  'resume',
  'approval',
  'quiet',
  'waking_message',
  'later',
  'worker',
];

export class WaitingDto {
  @OneOf(
    WAITING,
    'retry: for its next attempt; preparation: for its provider, which could not be asked what must be known first; held: for an effect; stalled: for an operator; unconfigured: for a configuration that names its workspace; looping: for a person, because machines answer each other; spent: for money, or for a person; resume: for a person who ends the pause; approval: for a person who decides about what its agent wants to do; quiet: until nothing more arrives; waking_message: for a message that wakes; later: for its time; worker: for a free worker.',
  )
  reason!: string;

  @InstantOrNull('Until when, where that is known.')
  until!: string | null;

  @TextOrNull('What went wrong last.')
  detail!: string | null;
}

export class CleanupDto {
  @OneOf(['waiting', 'failing', 'done'], 'How far it is; `failing` is tried again until it succeeds.')
  state!: string;

  @TextOrNull('What went wrong last.')
  failure!: string | null;
}

export class ConversationDto {
  @Text('UUIDv5, computed from the subject.')
  id!: string;

  @Text('The organisation.')
  org!: string;

  @Part(SubjectDto, 'What it is about.')
  subject!: SubjectDto;

  @OneOf(['subject', 'automation', 'run'], 'Shared by all routes of the subject, of one route, or of one event.')
  scope!: string;

  @TextOrNull('A line for people.')
  title!: string | null;

  @TextOrNull('Where a person looks at the subject.')
  url!: string | null;

  @Text('Name of the workspace that works on it.')
  workspace!: string;

  @TextOrNull("The agent's name for what it remembers.")
  session!: string | null;

  @Whole('Up to this sequence a reset has made its agent forget; 0: nothing.')
  cleared_to!: number;

  @Flag('A person has paused it. A turn that cannot be paused ends first, and the status is running so long.')
  paused!: boolean;

  @Flag('Its agent may have read what anybody can write: it writes nothing without approval. A reset ends it.')
  tainted!: boolean;

  @OneOf(STATES, 'Whether its subject lives.')
  state!: string;

  @PartOrNull(TerminalDto, 'How it ended; null while open.')
  terminal!: TerminalDto | null;

  @PartOrNull(CleanupDto, 'What its end left to do: its runtime to be let go, its empty folder to be removed; null while open.')
  cleanup!: CleanupDto | null;

  @OneOf(STATUSES, 'What it is doing.')
  status!: string;

  @Part(QueueDto, 'Its deliveries, counted by state.')
  queue!: QueueDto;

  @PartOrNull(
    WaitingDto,
    'What it waits for: a person while it is paused, else what its first open delivery waits for; null when none waits.',
  )
  waiting_for!: WaitingDto | null;

  @PartOrNull(ControlDto, 'The thread in which people see it; null: it has none.')
  control!: ControlDto | null;

  @Instant('When it was made.')
  created_at!: string;

  @Instant('When its state or session changed last.')
  updated_at!: string;
}
