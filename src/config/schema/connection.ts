import { Allow } from 'class-validator';
import type { RawMap } from '../raw.js';
import { Open } from './field.js';
import { Section } from './nested.js';
import { Duration, Flag, Name, OneOf, Size, Text, TextList, Whole } from './values.js';

/** `connections.<name>.rate:` - the budget of events whose signature holds; beyond it the answer is 429. */
export class RateSection {
  @Whole({ about: 'Events a second in the long run.', min: 1, max: 1_000_000 })
  readonly perSecond: number = 200;

  @Whole({ about: 'Events at once.', min: 1, max: 10_000_000 })
  readonly burst: number = 5000;
}

/** `connections.<name>:` - an account at a provider, whose events come to `POST /v1/events/{org}/{name}`. Further keys are the plugin's own. */
@Open(() => ['apiUrl', 'publicKey', 'signature'])
export class ConnectionSection {
  @Name({ about: 'The plugin that understands this provider.', required: true })
  readonly plugin: string = '';

  @Name({ about: 'The org that it belongs to.' })
  readonly org: string = 'default';

  @OneOf(['private', 'public'], {
    about: '`private`: only trusted people can cause its events. `public`: its turns are told that they are untrusted.',
  })
  readonly source: 'private' | 'public' = 'public';

  @Text({ about: 'What the provider signs its events with. Best a reference: `{ env: NAME }` or `{ file: PATH }`.' })
  readonly secret?: string;

  @TextList({ about: 'For rotation: the new secret and the old one; either verifies.' }, { filled: true, unique: true })
  readonly secrets?: readonly string[];

  @Size({ about: 'Largest event body. Default: `server.bodyLimit`, else what the provider states.' })
  readonly bodyLimit?: string | number;

  @Duration({ about: 'How old an authentic event may be beyond the tolerance of its signature. Default: the plugin’s own.' })
  readonly acceptLate?: string;

  @Duration({ about: 'Pause between two questions, where the provider is polled. Default: the plugin’s own.' })
  readonly interval?: string;

  @Section(() => RateSection, { about: 'The budget of events whose signature holds; beyond it the answer is 429.' }, true)
  readonly rate: RateSection | 'off' = new RateSection();

  @Flag({ about: 'Takes events without a signature, which is allowed on loopback alone.' })
  readonly insecure: boolean = false;

  @Allow()
  readonly rest: RawMap = {};
}
