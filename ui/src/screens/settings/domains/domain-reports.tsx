// What mailbox providers report about mail from a domain (DMARC): totals, and the sources with the most messages.
import { Text } from '@mantine/core';
import type { ResultOf } from '../../../api/types.ts';
import { useMethod } from '../../../api/use-method.ts';
import { parseTime, useFormats } from '../../../parts/formats.ts';
import { Section } from '../../../parts/page.tsx';
import { type Column, Rows } from '../../../parts/table/rows.tsx';
import { useText } from '../../../text/use-text.tsx';

type Source = ResultOf<'senderDomainReports'>['sources'][number];

export function DomainReports({ domain }: { domain: string }) {
  const t = useText('settings');
  const { number, date } = useFormats();
  const answer = useMethod('senderDomainReports', { domain });
  // Without BOUNCE_DOMAIN no report can arrive, so nothing shows before that is known.
  if (answer.error === null && (answer.data?.address ?? '') === '') return null;
  const columns: Column<Source>[] = [
    {
      name: 'source',
      title: t('reportSource'),
      cell: ({ source, own }) => (own ? t('reportOwn', { source }) : source),
    },
    { name: 'messages', title: t('reportMessages'), figure: true, cell: ({ messages }) => number(messages) },
    { name: 'passed', title: t('reportPassed'), figure: true, cell: ({ passed }) => number(passed) },
    {
      name: 'failed',
      title: t('reportFailed'),
      figure: true,
      cell: ({ failed }) => (
        <Text span inherit {...(failed > 0 ? { c: 'var(--mantine-color-error)', fw: 500 } : {})}>
          {number(failed)}
        </Text>
      ),
    },
    {
      name: 'day',
      title: t('reportDay'),
      width: '160px',
      cell: ({ last_day, reporters }) => (
        <span title={reporters.join(', ')}>{date(parseTime(`${last_day} 12:00:00`)!)}</span>
      ),
    },
  ];
  return (
    <Section
      title={t('reports')}
      description={
        answer.data && answer.data.reports > 0
          ? t('reportsAbout', {
              reports: answer.data.reports,
              messages: answer.data.messages,
              failed: answer.data.failed,
            })
          : t('reportsNone', { address: answer.data?.address ?? '' })
      }
    >
      <Rows
        label={t('reports')}
        columns={columns}
        rows={answer.data?.sources}
        keyOf={({ source }) => source}
        nameOf={({ source }) => source}
        query={answer}
        empty={null}
      />
    </Section>
  );
}
