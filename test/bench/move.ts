// How long an account stands between two installations while it moves: `npm run bench -- move [contacts]`, by default a million contacts,
// each with a subscription and a message. Two PostgreSQL servers of their own, and a program that writes for the account all the time. Prints the
// seconds of the copy, and of the standstill from the fence to the first write in the new installation, beside its goal.
import { sql } from '../../src/db/connect.ts';
import { parseId } from '../../src/db/ids.ts';
import { type Cell, type CellAccount, type Cells, twoCells } from '../support/cells/cells.ts';

const contacts = Number(process.argv[2] ?? 1_000_000);
const goalSeconds = 10;

const cells = await twoCells({ API_RATE: '1000000' });
try {
  console.log(JSON.stringify(await measure(cells), null, 2));
} finally {
  await cells.close();
}

async function measure({ one, two, ...all }: Cells) {
  await Promise.all([one.start('web', 'work'), two.start('web', 'work')]);
  const account = await all.account('bench@example.org');
  const list = await account.call<string>(one, 'listCreate', { title: 'Readers' });
  const cid = await account.call<string>(one, 'campaignCreate', {
    type: 'HTML',
    options: {
      list_id: list,
      subject: 'News',
      from_email: 'bench@example.org',
      from_name: 'Bench',
      generate_text: true,
    },
    content: { html: '<p>News</p>' },
  });
  await fill(one, account.id, parseId(list), parseId(cid));
  let fencedAt = 0;
  const watch = (async () => {
    while (fencedAt === 0) {
      const row = await one.db.row<{ at: Date }>(
        sql`select step_at as at from account_move where account = ${account.id} and step in ('fenced', 'moved')`,
      );
      fencedAt = row?.at.getTime() ?? 0;
    }
  })();
  const writes = write(account, list, { one, two }, () => fencedAt > 0);
  const startedAt = Date.now();
  const mover = all.mover(account);
  const code = await mover.ended;
  if (code !== 0) throw new Error(mover.output);
  const endedAt = Date.now();
  await watch;
  const { count, lastAt, firstAt } = await writes;
  return {
    contacts,
    writesWhileCopied: count,
    copySeconds: (fencedAt - startedAt) / 1_000,
    standstillSeconds: (firstAt - fencedAt) / 1_000,
    secondsBetweenWrites: (firstAt - lastAt) / 1_000,
    goalSeconds,
    secondsUntilClearedAway: (endedAt - startedAt) / 1_000,
    mover: mover.output.split('\n').filter((line) => line.startsWith('last changes')),
  };
}

/** Writes for the account where it is: in the old installation until it refuses, then in the new one until it accepts. */
async function write(
  account: CellAccount,
  list: string,
  { one, two }: Pick<Cells, 'one' | 'two'>,
  isFenced: () => boolean,
): Promise<{ count: number; lastAt: number; firstAt: number }> {
  let [count, lastAt] = [0, 0];
  const subscribe = (cell: Cell) =>
    account.call(cell, 'listSubscribe', {
      id: list,
      email_address: `new${count}@bench.example`,
      merge_vars: {},
      double_optin: false,
      update_existing: true,
    });
  for (;;) {
    const at = isFenced() ? two : one;
    try {
      await subscribe(at);
      if (at === two) return { count, lastAt, firstAt: Date.now() };
      [count, lastAt] = [count + 1, Date.now()];
    } catch {
      // Not there yet.
    }
  }
}

async function fill({ db }: Cell, account: number, list: number, campaign: number): Promise<void> {
  await db.run(sql`
    insert into contact (account_id, email, email_key, domain)
    select ${account}, 'reader' || n || '@d' || n % 500 || '.example', 'reader' || n || '@d' || n % 500 || '.example', 'd' || n % 500 || '.example'
    from generate_series(1, ${contacts}) as n`);
  await db.run(sql`
    insert into subscription (account_id, contact_id, list_id, status, optin_at)
    select account_id, id, ${list}, 'subscribed', now()
    from contact
    where account_id = ${account}`);
  await db.run(sql`
    insert into delivery (account_id, campaign_id, seq, month, contact_id, list_id, email, domain, state, due_at, done_at)
    select account_id, ${campaign}, row_number() over (), '-infinity', id, ${list}, email, domain, 2, now(), now()
    from contact
    where account_id = ${account}`);
  await db.run(sql`analyze`);
}
