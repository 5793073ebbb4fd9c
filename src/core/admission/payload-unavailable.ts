import { Conflict } from '../../plugin/index.js';

/** What a receipt brought is no longer here, or not all of it. */
export class PayloadUnavailable extends Conflict {
  override readonly code = 'payload_unavailable';
}
