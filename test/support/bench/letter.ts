// The campaign of the benchmarks of delivery: a letter of 20 kB to many members, made as fast as possible.
import pg from 'pg';
import { readEmbeddedUrl } from '../../../src/db/embedded/embedded.ts';
import { parseId } from '../../../src/db/ids.ts';
import type { Installation } from '../installation/installation.ts';

export const mailBytes = 20_000;
/** Of the clients that it is compared with. */
export const connections = 4;

/** Subscribed members straight into the tables: importing is measured elsewhere. */
export async function fill(installation: Installation, list: string, recipients: number): Promise<void> {
  await inDatabase(installation, async (client) => {
    await client.query(
      `with made as (
         insert into contact (account_id, email, email_key, domain)
         select l.account_id, address, address, split_part(address, '@', 2)
         from list l, generate_series(1, $2::int) n, lateral (select format('reader.%s@mailbox%s.example', n, n % 300)) a(address)
         where l.id = $1
         returning account_id, id
       )
       insert into subscription (account_id, list_id, contact_id, status, fields, optin_at)
       select account_id, $1, id, 'subscribed', jsonb_build_object('FNAME', 'Ada ' || id, 'LNAME', 'Löwe'), now()
       from made`,
      [parseId(list), recipients],
    );
    await client.query('analyze contact');
    await client.query('analyze subscription');
  });
}

/** Changes the database of an installation behind its back. */
export async function inDatabase(
  installation: Installation,
  change: (client: pg.Client) => Promise<unknown>,
): Promise<void> {
  const client = new pg.Client({ connectionString: readEmbeddedUrl(installation.dataDir) });
  await client.connect();
  try {
    await change(client);
  } finally {
    await client.end();
  }
}

/** @param options in place of the usual ones */
export function draft(
  installation: Installation,
  list: string,
  options: Record<string, unknown> = {},
): Promise<string> {
  return installation.call('campaignCreate', {
    type: 'HTML',
    options: {
      list_id: list,
      subject: 'News for *|FNAME|*',
      from_email: 'editors@example.com',
      from_name: 'The editors',
      tracking: { opens: true, html_clicks: true, text_clicks: false },
      ...options,
    },
    content: { html: page('*|FNAME|*'), plain: 'Hello *|FNAME|*, read it here: *|ARCHIVE|*\nLeave: *|UNSUB|*\n' },
  });
}

/** A letter of 20 links and ten places for a name; the mail made of it has 20 kB. */
export function page(name: string): string {
  const blocks = Array.from(
    { length: 20 },
    (_, i) =>
      `<tr><td style="padding:8px"><a href="https://shop.example/goods/${i}?n=${i}">Offer ${i}${i % 2 ? ` for ${name}` : ''}</a></td></tr>`,
  );
  const filler = '<tr><td>Warm words about goods and their prices, as letters have them.</td></tr>\n';
  const rest = filler.repeat(Math.floor((mailBytes - 8_000) / 20 / filler.length));
  return `<html><body><table>\n${blocks.map((block) => `${block}\n${rest}`).join('')}</table><p><a href="*|UNSUB|*">Leave</a></p></body></html>`;
}
