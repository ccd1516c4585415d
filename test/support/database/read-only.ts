// A database whose new sessions are read-only, as on a server that is a standby, or that has run out of storage at a provider.
import pg from 'pg';

/** Sessions that begin from now on; when it becomes read-only, all others end. */
export async function setReadOnly(url: string, isReadOnly: boolean): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query('set default_transaction_read_only = off');
    const { rows } = await client.query<{ name: string }>('select quote_ident(current_database()) as name');
    await client.query(
      `alter database ${rows[0]!.name} ${isReadOnly ? 'set default_transaction_read_only = on' : 'reset default_transaction_read_only'}`,
    );
    if (isReadOnly)
      await client.query(`
        select pg_terminate_backend(pid)
        from pg_stat_activity
        where datname = current_database()
          and pid <> pg_backend_pid()
          and usename = current_user`);
  } finally {
    await client.end();
  }
}
