// The method that says where the members of a list are to be had as a file.
import { z } from 'zod';
import { empty, sql } from '../../db/connect.ts';
import { method } from '../../method/method.ts';
import { id, params, text, truth, word } from '../../method/params.ts';
import { exportCondition, exportStatuses } from './rows.ts';

export const exportMethods = [
  method({
    name: 'listExport',
    group: 'lists',
    summary: 'Returns the address of a CSV file with the members of a list, and how many there are now.',
    description:
      'GET the address with the session, or with the key in an Authorization header (Bearer). UTF-8; cells that a spreadsheet would take for a formula begin with an apostrophe, which importing takes away again. The file is made while it is read.',
    params: params({
      id: id('The list.'),
      status: word(
        'Only members of this status; all when not given.',
        exportStatuses,
        {},
        { fault: 'OPTIONS_STRUCT_INVALID' },
      ).default(''),
      segment: text('Only members of this segment of the list.', 100).default(''),
      bom: truth('Whether the file begins with a byte order mark, which some spreadsheets need.').default(false),
    }),
    returns: z.object({ url: z.string(), members: z.int() }),
    faults: ['LIST_UNKNOWN', 'SEGMENT_INVALID', 'OPTIONS_STRUCT_INVALID'],
    scope: 'read',
    reads: true,
    example: { params: { id: '{{list}}', status: 'subscribed' } },
    async run({ app, tx, account }, { id: list, status, segment, bom }) {
      const { condition, contact } = await exportCondition(tx, account.id, { list, status, segment, bom }, true);
      const row = await tx.row<{ count: number }>(sql`
        select count(*) as count
        from subscription s
        ${contact ? sql`join contact c on c.account_id = s.account_id and c.id = s.contact_id` : empty}
        where ${condition}`);
      const query = new URLSearchParams({
        ...(status && { status }),
        ...(segment && { segment }),
        ...(bom && { bom: '1' }),
      });
      return { url: `${app.baseUrl}/export/${list}.csv${query.size > 0 ? `?${query}` : ''}`, members: row!.count };
    },
  }),
];
