// The results by mailbox domain.

import { IconAt } from '@tabler/icons-react';
import type { ResultOf } from '../../../api/types.ts';
import { useMethod } from '../../../api/use-method.ts';
import { shownDomains } from '../../../parts/domain-name.ts';
import { Empty } from '../../../parts/empty.tsx';
import { useFormats } from '../../../parts/formats.ts';
import { Section } from '../../../parts/page.tsx';
import { type Column, Rows } from '../../../parts/table/rows.tsx';
import { useText } from '../../../text/use-text.tsx';

type Domain = ResultOf<'campaignEmailDomainPerformance'>[number];

export function Domains({ cid }: { cid: string }) {
  const t = useText('report');
  const { number, percent } = useFormats();
  const answer = useMethod('campaignEmailDomainPerformance', { cid });
  const share = (
    name: 'delivered' | 'bounced' | 'opened' | 'clicked' | 'unsubscribed',
    of: (row: Domain) => number,
  ) => ({
    name,
    title: t(name),
    figure: true,
    cell: (row: Domain) => percent(of(row) / 100),
  });
  const columns: Column<Domain>[] = [
    { name: 'domain', title: t('domain'), cell: ({ domain }) => shownDomains(domain) || t('otherDomains') },
    { name: 'emails', title: t('emails'), figure: true, cell: ({ emails }) => number(emails) },
    share('delivered', (row) => row.delivered_pct),
    share('bounced', (row) => row.bounces_pct),
    share('opened', (row) => row.opens_pct),
    share('clicked', (row) => row.clicks_pct),
    share('unsubscribed', (row) => row.unsubs_pct),
  ];
  return (
    <Section title={t('domains')} description={t('domainsAbout')}>
      <Rows
        label={t('domains')}
        columns={columns}
        brief={(row) => (
          <>
            <span>{number(row.emails)} ·</span>
            <span>
              {(
                [
                  ['opened', row.opens_pct],
                  ['clicked', row.clicks_pct],
                  ['bounced', row.bounces_pct],
                ] as const
              )
                .map(([name, share]) => `${t(name)} ${percent(share / 100)}`)
                .join(' · ')}
            </span>
          </>
        )}
        rows={answer.data?.slice(0, 12)}
        keyOf={({ domain }) => domain}
        nameOf={({ domain }) => domain}
        query={answer}
        empty={<Empty icon={IconAt} title={t('noRowsTitle')} text={t('noRowsText')} />}
      />
    </Section>
  );
}
