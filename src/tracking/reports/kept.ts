// The sums of a report, kept when its recipients are deleted: the report shows the same numbers as before.
import { revisionsOf } from '../../campaigns/model/revision.ts';
import { languagesOf, readTest, removedLanguages } from '../../campaigns/model/variant.ts';
import { sql, type Tx } from '../../db/connect.ts';
import { jsonb } from '../../db/jsonb.ts';
import type { ReportedCampaign } from './campaign.ts';
import { type DomainSums, domainSums } from './domains.ts';
import { type LinkSums, linkSums } from './links.ts';
import { type StatsSums, statsSums } from './stats.ts';
import { type GroupSums, languageSums, revisionSums, type TestSums, testSums } from './variants.ts';

type KeptReport = {
  stats: StatsSums;
  links: LinkSums[];
  domains: DomainSums[];
  test?: TestSums;
  languages?: GroupSums[];
  revisions?: GroupSums[];
};

/** Keeps the sums of a report. Its recipients must have final states. */
export async function keepReport(tx: Tx, of: ReportedCampaign): Promise<void> {
  const abTest = await readTest(tx, of);
  const written = await languagesOf(tx, of);
  const languages = [...written.map(({ language }) => language), ...(await removedLanguages(tx, of))];
  const revisions = await revisionsOf(tx, of);
  const sums: KeptReport = {
    stats: await statsSums(tx, of),
    links: await linkSums(tx, of),
    domains: await domainSums(tx, of),
    ...(abTest && abTest.testSize !== null
      ? { test: await testSums(tx, of, { variants: abTest.variants, testSize: abTest.testSize }) }
      : {}),
    ...(languages.length > 0 ? { languages: await languageSums(tx, of, languages) } : {}),
    ...(revisions > 1 ? { revisions: await revisionSums(tx, of, revisions) } : {}),
  };
  await tx.run(sql`
    insert into kept_report (account_id, campaign_id, sums)
    values (${of.account}, ${of.campaign}, ${jsonb(sums)})
    on conflict (account_id, campaign_id) do nothing`);
}
