// A small program with an embedded PostgreSQL, for tests that kill it: `node embedded-program.ts OPTIONS`, a JSON object
// { dataDir, binDir?, relocateTo?, uid? }. Prints one JSON line when the database is up, then a line for each row that the
// database has acknowledged; stops in order on SIGTERM.
import pg from 'pg';
import { readEmbeddedUrl, startEmbedded } from '../../../src/db/embedded/embedded.ts';

type Options = { dataDir: string; binDir?: string; relocateTo?: string; uid?: number };

const { uid, ...options } = JSON.parse(process.argv[2]!) as Options;
if (uid !== undefined) {
  // After everything is loaded: the other user need not be able to read this checkout.
  process.setgroups!([]);
  process.setgid!(uid);
  process.setuid!(uid);
}
const say = (entry: object | string, message = '') => console.error(message, entry);
const begunAt = performance.now();
const server = await startEmbedded({ ...options, log: { info: say, warn: say, error: say } }).catch((error: Error) => {
  console.error(error.message);
  process.exit(3);
});
let stopping = false;
process.on('SIGTERM', () => {
  stopping = true;
  void server.stop();
});
const ms = Math.round(performance.now() - begunAt);
const readable = readEmbeddedUrl(options.dataDir) === server.url;
console.log(JSON.stringify({ url: server.url, pid: server.pid, ms, readable, uid: process.getuid?.() }));

const client = new pg.Client({ connectionString: server.url });
client.on('error', () => undefined);
await client.connect();
await client.query('create table if not exists written (n int primary key)');
const { rows } = await client.query<{ last: number }>('select coalesce(max(n), 0)::int as last from written');
for (let n = rows[0]!.last + 1; !stopping; n++) {
  try {
    await client.query('insert into written values ($1)', [n]);
    console.log(n);
  } catch {
    break;
  }
}
