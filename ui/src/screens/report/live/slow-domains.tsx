// The domains whose servers asked to try later.

import { useMethod } from '../../../api/use-method.ts';
import { shownDomains } from '../../../parts/domain-name.ts';
import { useFormats } from '../../../parts/formats.ts';
import { Lines } from '../../../parts/loaded.tsx';
import { Section } from '../../../parts/page.tsx';
import { Rows } from '../../../parts/table/rows.tsx';
import { Time } from '../../../parts/time.tsx';
import { useText } from '../../../text/use-text.tsx';

export function SlowDomains({ cid }: { cid: string }) {
  const t = useText('report');
  const { number } = useFormats();
  const { data, isPending } = useMethod('campaignSlowDomains', { cid }, { refetchInterval: 10_000 });
  if (isPending) return <Lines />;
  if (!data || data.length === 0) return null;
  return (
    <Section title={t('slowTitle')}>
      <Rows
        label={t('slowTitle')}
        columns={[
          { name: 'domain', title: t('domain'), cell: ({ domain }) => shownDomains(domain) },
          { name: 'waiting', title: t('waiting'), figure: true, width: '110px', cell: ({ later }) => number(later) },
          {
            name: 'next',
            title: t('nextTry'),
            width: '150px',
            cell: ({ next_time }) => <Time at={next_time} upcoming />,
          },
          { name: 'reply', title: t('said'), cell: ({ reply }) => reply },
        ]}
        rows={data}
        keyOf={({ domain }) => domain}
        nameOf={({ domain }) => domain}
        empty={null}
      />
    </Section>
  );
}
