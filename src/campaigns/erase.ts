// What is erased of a contact: its address in the reason for which a campaign is paused, which may quote a relay.
import { type ErasurePart, names, withoutAddresses } from '../base/erasure.ts';
import { sql } from '../db/connect.ts';

export const campaignErasure: ErasurePart = {
  async copies({ db, ...erased }) {
    await db.run(sql`
      update campaign
      set status_reason = ${withoutAddresses(erased, sql`status_reason`)}
      where account_id = ${erased.account}
        and status_reason <> ''
        and ${names(erased, sql`lower(status_reason)`)}`);
  },
};
