// The findings about links that were followed: those that lead nowhere, as far as it is known. Follows nothing.
import type { Context } from '../../../base/context.ts';
import { type Message, message } from '../../../base/messages.ts';
import { sql } from '../../../db/connect.ts';
import { examples, type Finding } from '../check-mail.ts';
import { followedAddresses } from './addresses.ts';
import { contentsOf } from './follow-links.ts';

export async function linkFindings(
  { tx, account, app }: Pick<Context, 'tx' | 'account' | 'app'>,
  campaignId: number,
): Promise<Finding[]> {
  if (app.config.followLinks === 'no') return [];
  const links = followedAddresses(await contentsOf(tx, { account: account.id, campaign: campaignId }), app.baseUrl);
  if (links.length === 0) return [];
  const rows = await tx.rows<{ hash: string; outcome: 'gone' | 'failing'; reason: string }>(sql`
    select encode(hash, 'hex') as hash, outcome, reason
    from followed_link
    where account_id = ${account.id}
      and hash = any(${links.map(({ hash }) => hash)}::bytea[])
      and outcome <> 'answered'`);
  const results = new Map(rows.map((row) => [row.hash, row]));
  const found = links.flatMap(({ hash, written }) => {
    const result = results.get(hash.toString('hex'));
    return result ? [{ written, ...result }] : [];
  });
  return (['gone', 'failing'] as const).flatMap((outcome): Finding[] => {
    const of = found.filter((link) => link.outcome === outcome);
    if (of.length === 0) return [];
    const [first] = of;
    const values = { count: of.length, examples: examples(of.map(({ written }) => written)), why: why(first!.reason) };
    return [
      {
        level: 'warning',
        code: `link_${outcome}`,
        message: message(`check.link_${outcome}.${of.length === 1 ? 'one' : 'other'}`, values),
        found: of.map(({ written }) => written),
      },
    ];
  });
}

function why(reason: string): Message {
  switch (reason) {
    case 'timeout':
    case 'name':
    case 'unreachable':
    case 'redirects':
    case 'protocol':
      return message(`check.link_why.${reason}`);
    default:
      return message('check.link_why.status', { status: reason });
  }
}
