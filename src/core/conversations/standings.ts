import { first, type Tx } from '../../database/tx.js';
import type { Subject } from '../../plugin/index.js';
import { livesOnAs } from '../subjects/subjects.js';

interface StandingRow {
  readonly id: string;
  readonly org: string;
  readonly namespace: string;
  readonly key: string;
  readonly title: string | null;
  readonly route: string | null;
  readonly workspace: string;
  readonly state: 'open' | 'terminal';
  /** How often it has ended, and up to where it was reset: with either another one, nothing of before holds any more. */
  readonly ending: number;
  readonly cleared_to: number;
  /** 1: its agent may have read what anybody can write. */
  readonly tainted: number;
}

/** Where a conversation stands: what an agent's tools and what people are asked on its behalf are bound to. */
export interface Standing extends StandingRow {
  /** What its agent writes on: its subject, or under which identity that goes on since its provider has moved it. */
  readonly place: Subject;
}

export async function readStanding(tx: Tx, id: string): Promise<Standing | null> {
  const row = await first<StandingRow>(
    tx,
    'select id, org, namespace, key, title, route, workspace, state, ending, cleared_to, tainted from conversations where id = ?',
    [id],
  );
  return row === null ? null : { ...row, place: await livesOnAs(tx, row) };
}
