import { Initial } from './0001-initial.js';
import { Effects } from './0002-effects.js';
import { Lifecycle } from './0003-lifecycle.js';
import { Steering } from './0004-steering.js';
import { Replicas } from './0005-replicas.js';
import { Upkeep } from './0006-upkeep.js';
import { Kept } from './0008-kept.js';
import { Controls } from './0009-controls.js';
import { Approvals } from './0010-approvals.js';
import { Asked } from './0011-asked.js';
import { Boards } from './0013-boards.js';
import { GapProgress } from './0014-gap-progress.js';
import { Landmarks } from './0015-landmarks.js';
import { Automations } from './0016-automations.js';

/** In the order in which they run; names are for ever. */
export const sqliteMigrations = [
  { name: '0001-initial', class: Initial },
  { name: '0002-effects', class: Effects },
  { name: '0003-lifecycle', class: Lifecycle },
  { name: '0004-steering', class: Steering },
  { name: '0005-replicas', class: Replicas },
  { name: '0006-upkeep', class: Upkeep },
  { name: '0008-kept', class: Kept },
  { name: '0009-controls', class: Controls },
  { name: '0010-approvals', class: Approvals },
  { name: '0011-asked', class: Asked },
  { name: '0013-boards', class: Boards },
  { name: '0014-gap-progress', class: GapProgress },
  { name: '0015-landmarks', class: Landmarks },
  { name: '0016-automations', class: Automations },
];
