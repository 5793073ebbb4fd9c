import { Text } from './values.js';

/** `database:` - where everything is kept. */
export class DatabaseSection {
  @Text(
    { about: 'An SQLite file (`sqlite:PATH`, relative to this file) for one process, or PostgreSQL (`postgresql://…`) for any number.' },
    { matches: '^(sqlite:.+|postgres(ql)?://.+)$', rule: 'must begin with `sqlite:` and a path, or with `postgresql://`' },
  )
  readonly url: string = 'sqlite:./data/throughline.db';

  @Text(
    { about: 'PostgreSQL without the pooler, where `url` goes through one: for migrations.' },
    { matches: '^postgres(ql)?://.+$', rule: 'must begin with `postgresql://`' },
  )
  readonly directUrl?: string;
}
