import { Duration } from './values.js';

/** `retention:` - how long what is done with is kept. Nothing of an unfinished delivery is pruned. */
export class RetentionSection {
  @Duration({
    about:
      'Bodies of events, as they arrived, and files that came with messages of conversations that go on. What plugins made of events stays with the receipts.',
  })
  readonly payloads: string = '14d';

  @Duration({
    about:
      'Receipts, by which duplicates are known, with decisions, completed deliveries and Idempotency-Keys; at least a day, and no shorter than `payloads`.',
  })
  readonly receipts: string = '90d';

  @Duration({ about: 'Turns, with what agents said and did.' })
  readonly transcripts: string = '90d';

  @Duration({
    about:
      'What is known of ended writes at providers, by which their callbacks are told from other events. What became of a write unknown stays.',
  })
  readonly effects: string = '7d';

  @Duration({ about: 'The audit log.' })
  readonly audit: string = '365d';
}
