// The sums of a report, kept when its recipients are deleted: the report shows the same numbers as before.
import { languagesOf, readTest } from '../../campaigns/model/variant.ts';
import { sql, type Tx } from '../../db/connect.ts';
import { jsonb } from '../../db/jsonb.ts';
import type { CampaignIds } from './campaign.ts';
import { type DomainSums, domainSums } from './domains.ts';
import { type LinkStats, linkSums } from './links.ts';
import { type StatsSums, statsSums } from './stats.ts';
import { type GroupSums, languageSums, type TestSums, testSums } from './variants.ts';

type KeptReport = {
  stats: StatsSums;
  links: LinkStats[];
  domains: DomainSums[];
  test?: TestSums;
  languages?: GroupSums[];
};

/** Keeps the sums of a report. Its recipients must have final states. */
export async function keepReport(tx: Tx, campaign: CampaignIds): Promise<void> {
  const of = { account: campaign.accountId, campaign: campaign.campaignId };
  const abTest = await readTest(tx, of);
  const languages = await languagesOf(tx, of);
  const sums: KeptReport = {
    stats: await statsSums(tx, campaign),
    links: await linkSums(tx, campaign),
    domains: await domainSums(tx, campaign),
    ...(abTest && abTest.testSize !== null
      ? { test: await testSums(tx, of, { variants: abTest.variants, testSize: abTest.testSize }) }
      : {}),
    ...(languages.length > 0 ? { languages: await languageSums(tx, of, languages.length + 1) } : {}),
  };
  await tx.run(sql`
    insert into kept_report (account_id, campaign_id, sums)
    values (${campaign.accountId}, ${campaign.campaignId}, ${jsonb(sums)})
    on conflict (account_id, campaign_id) do nothing`);
}
