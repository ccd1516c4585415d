// The method that returns the URL of a file with the members of a list.
import { z } from 'zod';
import type { Context } from '../../base/context.ts';
import { empty, sql } from '../../db/connect.ts';
import { method } from '../../method/method.ts';
import { boolean, id, oneOf, params, text } from '../../method/params.ts';
import { type ExportOptions, exportCondition, exportStatuses } from './rows.ts';

export const exportMethods = [
  method({
    name: 'listExport',
    group: 'lists',
    summary: 'Returns the URL of a CSV file with the members of a list, and their current number.',
    description:
      'GET the URL with the session, or with the key in an Authorization header (Bearer). The file is UTF-8 and is generated while it is read. Cells that a spreadsheet would read as a formula start with an apostrophe, which an import removes.',
    params: params({
      id: id('The list.'),
      status: oneOf(
        'Only members with this status; all when not given.',
        exportStatuses,
        {},
        { fault: 'OPTIONS_STRUCT_INVALID' },
      ).default(''),
      segment: text('Only members of this segment of the list.', 100).default(''),
      bom: boolean('Whether the file starts with a byte order mark, which some spreadsheets need.').default(false),
    }),
    returns: z.object({ url: z.string(), members: z.int() }),
    faults: ['LIST_UNKNOWN', 'SEGMENT_INVALID', 'OPTIONS_STRUCT_INVALID'],
    scope: 'read',
    permission: 'contacts:export',
    narrowed: true,
    reads: true,
    example: { params: { id: '{{list}}', status: 'subscribed' } },
    run: listExport,
  }),
];

async function listExport(
  { app, tx, account }: Context,
  { id, ...options }: { id: string } & Omit<ExportOptions, 'list'>,
): Promise<{ url: string; members: number }> {
  const { condition, usesContact } = await exportCondition(tx, account.id, { list: id, ...options });
  const row = await tx.row<{ count: number }>(sql`
    select count(*) as count
    from subscription s
    ${usesContact ? sql`join contact c on c.account_id = s.account_id and c.id = s.contact_id` : empty}
    where ${condition}`);
  const { status, segment, bom } = options;
  const query = new URLSearchParams({
    ...(status && { status }),
    ...(segment && { segment }),
    ...(bom && { bom: '1' }),
  });
  return { url: `${app.baseUrl}/export/${id}.csv${query.size > 0 ? `?${query}` : ''}`, members: row!.count };
}
