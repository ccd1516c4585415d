// Whether mail leaves this installation: a relay is set up, in SMTP_URL or in the application, paused or not.
import type { Config } from '../../config.ts';
import { type Queries, sql } from '../../db/connect.ts';

export async function hasRelay(config: Config, tx: Queries): Promise<boolean> {
  if (config.smtpUrls.length > 0) return true;
  return (await tx.row<{ some: boolean }>(sql`select exists (select from relay) as some`))!.some;
}
