// A contact joins or leaves a segment, for whatever reason: the segment is looked up at intervals.
import { z } from 'zod';
import { message } from '../../base/messages.ts';
import { sql } from '../../db/connect.ts';
import { parseId } from '../../db/ids.ts';
import { id, oneOf } from '../../method/params.ts';
import { triggerKind, type Watched } from './kind.ts';

const changes = ['joined', 'left'] as const;

export const segment = triggerKind({
  type: 'segment',
  about: '(joins or leaves a segment)',
  members: { segment: z.string(), change: z.enum(changes) },
  settings: {
    segment: id('segment: a segment of the list.').optional(),
    change: oneOf('segment: joined or left.', changes).optional(),
  },
  read: ({ segment = '', change = 'joined' }) => ({ segment, change }),
  async problem({ tx, account }, { list }, trigger) {
    const segment = await tx.row(sql`
      select
      from segment
      where account_id = ${account.id}
        and list_id = ${list}
        and id = ${parseId(trigger.segment)}`);
    return segment ? undefined : message('automation.segment_missing');
  },
  async watched(tx, { account, list }, { segment, change }) {
    const row = await tx.row<Pick<Watched, 'match' | 'filter'>>(sql`
      select match, filter
      from segment
      where account_id = ${account}
        and list_id = ${list}
        and id = ${parseId(segment)}`);
    return row && { ...row, change };
  },
});
