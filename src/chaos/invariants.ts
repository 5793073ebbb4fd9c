import { CLEANUP } from '../core/jobs/job.js';
import type { PrunedKind } from '../core/maintenance/retention.js';
import type { Database } from '../database/database.js';

/** Where retention has been at work, the oldest deliveries of a conversation are gone. */
const NOTHING_PRUNED = nonePruned('receipts');

function nonePruned(kind: PrunedKind): string {
  return `not exists (select 1 from sweeps where kind = '${kind}' and pruned > 0)`;
}

const OPEN = "d.conversation = q.conversation and d.state <> 'completed'";

/** What must hold of the store after any history, in tests and in chaos alike: each names the conversations (or receipts) that break it. */
const BROKEN: Readonly<Record<string, string>> = {
  'open counts the deliveries that are not completed': `select conversation as id from queues q where open <> (select count(*) from deliveries d where ${OPEN})`,
  'waking counts those of them that wake': `select conversation as id from queues q where waking <> (select count(*) from deliveries d where ${OPEN} and d.waking = 1)`,
  'sequences run from 1 without a gap': `select conversation as id from deliveries where ${NOTHING_PRUNED} group by conversation having min(sequence) <> 1 or max(sequence) <> count(*)`,
  'the next sequence follows the last': `select conversation as id from queues q
     where ${NOTHING_PRUNED} and next_sequence <> 1 + (select count(*) from deliveries d where d.conversation = q.conversation)`,
  'no sequence is at or beyond the next': `select q.conversation as id from queues q join deliveries d on d.conversation = q.conversation and d.sequence >= q.next_sequence`,
  'no alias leads to an alias': `select a.key as id from subjects a join subjects b on b.org = a.org and b.namespace = a.alias_namespace and b.key = a.alias_key
     where b.alias_key is not null`,
  'what was purged has no words': `select cast(id as text) as id from receipts where purged_at is not null and payload is not null`,
  'the head is no later than the first open delivery': `select q.conversation as id from queues q join deliveries d on ${OPEN} and d.sequence < q.head`,
  'a claim has bounds within the queue': `select conversation as id from queues where owner is not null
     and (claim_from is null or claim_to is null or claim_to < claim_from or claim_to >= next_sequence or claimed_at is null)`,
  'a claim begins at the head': `select q.conversation as id from queues q join deliveries d on ${OPEN} and q.owner is not null and d.sequence < q.claim_from`,
  'a claim covers only what is open': `select q.conversation as id from queues q join deliveries d on d.conversation = q.conversation
     where q.owner is not null and d.state = 'completed' and d.sequence between q.claim_from and q.claim_to
       and d.outcome not in ('skipped', 'suppressed', 'withdrawn', 'ignored')`,
  'who has a waking delivery and no claim is ready or parked': `select conversation as id from queues
     where waking > 0 and owner is null and parked is null and paused = 0 and ready_at is null`,
  'a queue that waits for its run has one': `select q.conversation as id from queues q where q.parked = 'starting' and not exists
     (select 1 from runs r where r.conversation = q.conversation and r.state in ('queued', 'starting'))`,
  'what is paused is not ready': 'select conversation as id from queues where paused = 1 and ready_at is not null',
  'what has no claim has no turn': `select conversation as id from queues where owner is null and (resting = 1 or steerable = 1 or turn_trust is not null)`,
  'a turn rests where somebody paused it, or is about to go on': `select q.conversation as id from queues q join turns t on t.conversation = q.conversation
     and t.token = q.token where (q.resting = 1) <> (t.state = 'paused')`,
  'nothing up to a reset is open': `select c.id as id from conversations c join deliveries d on d.conversation = c.id and d.sequence <= c.cleared_to
     where d.state <> 'completed'`,
  'a conversation has one live turn at most': `select conversation as id from turns where state in ('active', 'pausing', 'paused') group by conversation having count(*) > 1`,
  'no delivery is in two turns that succeeded': `select a.conversation as id from turns a join turns b on b.conversation = a.conversation
     where a.state = 'done' and b.state = 'done' and a.token < b.token and a.to_sequence >= b.from_sequence`,
  'a live turn is that of the claim': `select t.conversation as id from turns t join queues q on q.conversation = t.conversation
     where t.state in ('active', 'pausing', 'paused') and (q.owner is null or q.token <> t.token)`,
  'a conversation has a queue': 'select id from conversations where id not in (select conversation from queues)',
  'a terminal conversation has no session': "select id from conversations where state = 'terminal' and session is not null",
  'an end that is told of is told of by a lifecycle delivery': `select c.id from conversations c where c.ending_sequence is not null and ${NOTHING_PRUNED}
     and not exists (select 1 from deliveries d where d.conversation = c.id and d.sequence = c.ending_sequence and d.kind = 'lifecycle')`,
  'a thread is closed while its conversation has ended, and only then': `select b.conversation as id from control_bindings b
     join conversations c on c.id = b.conversation where (b.state = 'closed') <> (c.state = 'terminal')`,
  'every end has left all of its jobs': `select c.id from conversations c where c.ending > 0 and ${nonePruned('jobs')}
     and (select count(*) from jobs j where j.conversation = c.id and j.ending = c.ending) <> ${CLEANUP.length}`,
  'no job belongs to an end that was not': `select j.conversation as id from jobs j join conversations c on c.id = j.conversation
     where j.ending > c.ending`,
  'nobody works in a folder that is being cleared away': `select j.conversation as id from jobs j join turns t on t.conversation = j.conversation and t.state in ('active', 'pausing', 'paused') where j.state = 'running'`,
  'what was to be told of an earlier end is over once there is a newer one': `select c.id from conversations c join deliveries d
     on d.conversation = c.id and d.kind = 'lifecycle' and d.state <> 'completed' where c.state = 'terminal' and d.sequence < c.ending_sequence`,
  'every receipt was decided':
    'select cast(id as text) as id from receipts where id not in (select receipt from decisions where number = 0)',
  'what is held waits for an undecided effect': `select conversation as id from deliveries d where state = 'held' and not exists (
     select 1 from effect_candidates c join effects e on e.id = c.effect
      where c.receipt = d.receipt and e.state in ('executing', 'outcome_unknown'))`,
  'no candidate outlives the doubt about its effect': `select effect as id from effect_candidates
     where effect not in (select id from effects where state in ('executing', 'outcome_unknown'))`,
  'a candidate is a receipt': 'select effect as id from effect_candidates where receipt not in (select id from receipts)',
  'a conversation parked for an effect has something held': `select conversation as id from queues q where parked = 'held'
     and not exists (select 1 from deliveries d where d.conversation = q.conversation and d.state = 'held')`,
  'nothing is asked for an end or a time before a reset': `select a.conversation as id from approvals a join conversations c on c.id = a.conversation
     where a.state = 'pending' and (a.ending <> c.ending or a.cleared_to <> c.cleared_to)`,
  'what was executed was written': `select a.id from approvals a where a.kind = 'write' and a.state = 'executed' and ${nonePruned('effects')}
     and not exists (select 1 from effects e where e.id = a.effect and e.state = 'confirmed')`,
  'every delivery has its receipt': 'select conversation as id from deliveries where receipt not in (select id from receipts)',
};

/** The rules that do not hold, each with some of who breaks it. */
export async function brokenRules(database: Database): Promise<string[]> {
  return database.transaction(async (tx) => {
    const broken: string[] = [];
    for (const [rule, sql] of Object.entries(BROKEN)) {
      const rows = await tx.all<{ id: string }>(`${sql} limit 3`);
      if (rows.length > 0) broken.push(`${rule}: not so for ${rows.map(({ id }) => id).join(', ')}`);
    }
    return broken;
  });
}
