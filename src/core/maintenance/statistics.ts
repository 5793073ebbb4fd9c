import type { Tx } from '../../database/tx.js';

/** Smaller tables are read as quickly as any index. */
const WORTH_IT_BYTES = 65_536;

/**
 * Has PostgreSQL count the tables that have grown and were never counted; how many that were. Its planner takes an uncounted table for an
 * empty one, and of two indexes it may choose the one that finds every row. It would count by itself within a minute or two: a conversation
 * in ten thousand that are minutes old should not wait for that. SQLite goes by the columns of its indexes alone.
 */
export async function countTables(tx: Tx): Promise<number> {
  if (tx.dialect.name === 'sqlite') return 0;
  const uncounted = await tx.all<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c
      where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace and c.reltuples < 0
        and pg_relation_size(c.oid) > ? and pg_has_role(c.relowner, 'usage') order by c.oid`,
    [WORTH_IT_BYTES],
  );
  for (const { name } of uncounted) await tx.run(`analyze ${name}`);
  return uncounted.length;
}
