import { Instant, InstantOrNull, OneOf, PartOrNull, Parts, Text, TextOrNull, Whole } from '../http/fields.js';

export class SourceDto {
  @OneOf(['stream', 'poll', 'backfill'], 'What it is: a connection of ours, questions that we ask, or what was missed being asked for.')
  kind!: string;

  @OneOf(['idle', 'connecting', 'connected', 'retrying', 'misconfigured'], 'How it stands; idle: no replica has it.')
  state!: string;

  @TextOrNull('Why, where it is not connected.')
  detail!: string | null;

  @TextOrNull('The replica that has it.')
  replica!: string | null;

  @InstantOrNull('Since when it stands so.')
  since!: string | null;
}

export class GapDto {
  @Instant('When the last event before it was stored.')
  since!: string;

  @Whole('How often its provider was asked in vain.')
  tries!: number;

  @TextOrNull('Why the last time.')
  failure!: string | null;
}

export class ConnectionDto {
  @Text('Its name.')
  name!: string;

  @Text('The organisation.')
  org!: string;

  @Text('The plugin.')
  plugin!: string;

  @OneOf(['private', 'public'], 'private: only trusted people can cause its events.')
  source!: 'private' | 'public';

  @TextOrNull('Path that the provider posts its events to; null: it posts none.')
  endpoint!: string | null;

  @Whole('How many secrets are active; never the secrets.')
  secrets!: number;

  @Parts(SourceDto, 'What one replica keeps up for it.')
  sources!: SourceDto[];

  @PartOrNull(GapDto, 'A time whose events may be missing until the provider has been asked.')
  gap!: GapDto | null;
}
