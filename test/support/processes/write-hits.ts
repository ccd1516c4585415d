// A process that writes hits of several accounts over a pool of its own, as a web process does.
// Arguments: the URL of the database, the ids of the accounts in the order to write them, the number of transactions.
import { connect } from '../../../src/db/connect.ts';
import { type Hit, writeHits } from '../../../src/tracking/ingest.ts';

const [url, accounts, rounds] = process.argv.slice(2) as [string, string, string];
const db = connect(url);
const order = accounts.split(',').map(Number);
let at = Date.UTC(2027, 0, 1);
for (let round = 0; round < Number(rounds); round++) {
  at += 10_000;
  const hits = order.flatMap((account): Hit[] =>
    (['open', 'click'] as const).map((kind) => ({
      ...{ account, campaign: 1, seq: 1, kind, at: new Date(at), ip: '', machine: null },
      ...{ link: kind === 'click' ? 1 : null, url: 'https://example.com/', userAgent: 'Mozilla/5.0 Chrome/120.0' },
    })),
  );
  await db.transaction((tx) => writeHits(tx, hits));
}
await db.close();
