import { Conflict } from '../../plugin/errors.js';

/** Another replica has what this one had: whatever it still wanted to store is not stored. */
export class Superseded extends Conflict {
  override readonly code = 'superseded';

  constructor(lease: string) {
    super(`${lease} is another replica's now, or was given back; nothing was stored`);
  }
}
