// Saved blocks: rows of an email that a person keeps in the visual editor to use again. A block is found by its name.
import { z } from 'zod';
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { method } from '../../method/method.ts';
import { filledLine, filledText, params } from '../../method/params.ts';
import { assetNames, dropUnused } from '../content/pictures/asset.ts';
import { clean } from '../draft/read-content.ts';

/** More would be a library that needs a search. */
const maxBlocks = 200;
const maxBlockHtml = 100_000;

const name = filledLine('Name of the block.', 100);

export const blockMethods = [
  method({
    name: 'savedBlocks',
    group: 'templates',
    summary: 'Returns the saved blocks of the visual editor, by name.',
    params: params({}),
    returns: z.array(z.object({ name: z.string(), html: z.string().meta({ description: 'A table row.' }) })),
    faults: [],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: {} },
    run: ({ tx, account }) =>
      tx.rows<{ name: string; html: string }>(sql`
        select name, html
        from saved_block
        where account_id = ${account.id}
        order by lower(name), name`),
  }),
  method({
    name: 'savedBlockCreate',
    group: 'templates',
    summary: 'Saves a block of the visual editor; one of the same name is replaced.',
    description: `At most ${maxBlocks} blocks of ${maxBlockHtml / 1000} kB each. Emails that contain the block do not change.`,
    params: params({ name, html: filledText('A table row, as in the HTML of an email.', maxBlockHtml) }),
    returns: z.boolean(),
    faults: ['TOO_LARGE'],
    scope: 'write',
    example: { params: { name: 'Greeting', html: '<tr><td>Dear *|FNAME:reader|*,</td></tr>' } },
    run: saveBlock,
  }),
  method({
    name: 'savedBlockDelete',
    group: 'templates',
    summary: 'Deletes a saved block; false if there is none of this name. Emails that contain it do not change.',
    params: params({ name }),
    returns: z.boolean(),
    faults: [],
    scope: 'write',
    example: { params: { name: '{{block}}' } },
    run: deleteBlock,
  }),
];

async function saveBlock({ tx, account }: Context, given: { name: string; html: string }): Promise<true> {
  const html = clean(given.html, 'html');
  const wanted = given.name.trim();
  const before = await tx.row<{ html: string }>(
    sql`select html from saved_block where account_id = ${account.id} and name = ${wanted} for update`,
  );
  const saved = await tx.row(sql`
    insert into saved_block (account_id, name, html)
    select ${account.id}, ${wanted}, ${html}
    where ${before !== undefined}
      or (select count(*) from saved_block where account_id = ${account.id}) < ${maxBlocks}
    on conflict (account_id, name) do update
    set html = excluded.html
    returning name`);
  if (!saved) throw fault('TOO_LARGE', 'block.too_many', { count: maxBlocks });
  if (before) await dropUnused(tx, account.id, assetNames(before.html, account.id));
  return true;
}

async function deleteBlock({ tx, account }: Context, given: { name: string }): Promise<boolean> {
  const gone = await tx.row<{ html: string }>(sql`
    delete from saved_block
    where account_id = ${account.id}
      and name = ${given.name.trim()}
    returning html`);
  if (gone) await dropUnused(tx, account.id, assetNames(gone.html, account.id));
  return gone !== undefined;
}
