/** What a migration asks of its connection. */
interface Connection {
  execute(sql: string): Promise<unknown>;
  addSql(sql: string): void;
}

interface Made {
  readonly sql: string;
}

/**
 * Makes a table anew with another definition, all rows kept: SQLite changes no CHECK. The definition is made from the stored one, so
 * that columns which other migrations added stay.
 */
export async function rebuild(connection: Connection, table: string, change: (definition: string) => string): Promise<void> {
  const stored = async (type: 'table' | 'index') =>
    (await connection.execute(
      `select sql from sqlite_master where type = '${type}' and tbl_name = '${table}' and sql is not null`,
    )) as Made[];
  const [made] = await stored('table');
  const indexes = await stored('index');
  if (!made) throw new Error(`there is no table ${table}`);
  const definition = change(made.sql).replace(new RegExp(`^create table "?${table}"?`, 'i'), `create table ${table}_rebuilt`);
  connection.addSql(definition);
  connection.addSql(`insert into ${table}_rebuilt select * from ${table}`);
  connection.addSql(`drop table ${table}`);
  connection.addSql(`alter table ${table}_rebuilt rename to ${table}`);
  for (const { sql } of indexes) connection.addSql(sql);
}
