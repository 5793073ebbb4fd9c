import { control } from '../../core/controls/control.js';
import { Filter, FilterOneOf, Instant, OneOf, PartOrNull, Text, TextOrNull, Whole } from '../http/fields.js';
import { PageQuery } from '../http/page.js';

const FAULTS = [
  ...['thread_gone', 'thread_locked', 'message_gone', 'parent_gone', 'forbidden', 'too_many_threads', 'refused'],
  ...['rate_limited', 'unavailable'],
];

export class ControlQuery extends PageQuery {
  @Filter('Name of the connection whose channel has the thread.')
  connection?: string;

  @FilterOneOf(control.states, 'How the thread is.')
  state?: string;

  @FilterOneOf(FAULTS, 'What is wrong with it.')
  fault?: string;
}

export class ControlFaultDto {
  @OneOf(FAULTS, 'What is wrong; docs/controls.md says what to do.')
  state!: string;

  @Text('What the channel says about it.')
  message!: string;

  @Instant('Since when.')
  since!: string;
}

export class ControlDto {
  @Text('The connection whose channel has the thread.')
  connection!: string;

  @Text('What the thread hangs under, as the channel names it.')
  parent!: string;

  @TextOrNull("The provider's id of the thread; null: it is not made yet.")
  thread!: string | null;

  @Text('What the thread is to be called.')
  title!: string;

  @TextOrNull('Where a person looks at it.')
  url!: string | null;

  @OneOf(
    control.states,
    'wanted: it is verified or made before the next message; open: it takes messages; closed: the conversation has ended.',
  )
  state!: string;

  @PartOrNull(ControlFaultDto, 'Why nothing can be written to it now.')
  fault!: ControlFaultDto | null;
}

export class ListedControlDto extends ControlDto {
  @Text('The conversation that is shown in it.')
  conversation!: string;

  @Text('Name of the workspace that wants it there.')
  workspace!: string;

  @Whole('What is to be done at the channel for the conversation and is not done yet.')
  waiting!: number;

  @Instant('Since when the conversation is to be shown.')
  created_at!: string;
}
