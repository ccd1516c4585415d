// What is erased of a contact: the body of the last request of an incoming webhook that names it. What events brought into runs
// goes with the runs.
import { type ErasurePart, names } from '../base/erasure.ts';
import { sql } from '../db/connect.ts';

export const automationErasure: ErasurePart = {
  /** An account has few of them. */
  async rows(tx, erased) {
    await tx.run(sql`
      update incoming_webhook
      set last_body = null, last_detail = ''
      where account_id = ${erased.account}
        and ${names(erased, sql`lower(concat_ws(' ', last_body, last_detail))`)}`);
  },
};
