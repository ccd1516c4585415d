// A contact clicks in a campaign: looked up at intervals, as the segment of those who clicked.
import { z } from 'zod';
import { message } from '../../base/messages.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { id } from '../../method/params.ts';
import { triggerKind } from './kind.ts';

export const clicked = triggerKind({
  type: 'clicked',
  about: '(clicks in a campaign)',
  members: { campaign: z.string() },
  settings: { campaign: id('clicked: the campaign.').optional() },
  read: ({ campaign = '' }) => ({ campaign }),
  async problem({ tx, account }, _draft, { campaign: named }) {
    const campaign = await tx.row(sql`
      select
      from campaign
      where account_id = ${account.id}
        and id = ${parseId(named)}
        and type <> 'message'`);
    return campaign ? undefined : message('automation.campaign_missing');
  },
  watched: (_tx, _of, { campaign }) => ({
    match: 'all',
    filter: [{ field: 'clicked', condition: 'is', value: campaign }],
    change: 'joined',
  }),
});
