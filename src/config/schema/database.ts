import { Text, Whole } from './values.js';

/** `database:` - where everything is kept. */
export class DatabaseSection {
  @Text(
    { about: 'An SQLite file (`sqlite:PATH`, relative to this file) for one process, or PostgreSQL (`postgresql://…`) for any number.' },
    { matches: '^(sqlite:.+|postgres(ql)?://.+)$', rule: 'must begin with `sqlite:` and a path, or with `postgresql://`' },
  )
  readonly url: string = 'sqlite:./data/throughline.db';

  @Text(
    {
      about: 'PostgreSQL without the pooler, where `url` goes through one: for migrations, and for what replicas tell each other at once.',
    },
    { matches: '^postgres(ql)?://.+$', rule: 'must begin with `postgresql://`' },
  )
  readonly directUrl?: string;

  @Whole({
    about: 'Connections to PostgreSQL at the most. No turn holds one while it runs, so two are enough for any number. Default: 10.',
    min: 2,
    max: 1000,
  })
  readonly pool?: number;
}
