// The results of the language versions of a campaign, side by side.
import { Text } from '@mantine/core';
import type { ResultOf } from '../../../api/types.ts';
import { useMethod } from '../../../api/use-method.ts';
import { useFormats } from '../../../parts/formats.ts';
import { Section } from '../../../parts/page.tsx';
import { type Column, Rows } from '../../../parts/table/rows.tsx';
import { useLanguageNames } from '../../../text/language-names.ts';
import { useText } from '../../../text/use-text.tsx';
import type { Campaign } from '../campaign.ts';

type Version = ResultOf<'campaignLanguages'>[number];

export function Languages({ campaign }: { campaign: Campaign }) {
  const t = useText('report');
  const names = useLanguageNames();
  const { shareOf, number } = useFormats();
  const interval = campaign.delivery_status === 'sent' ? 30_000 : 5_000;
  const { data } = useMethod('campaignLanguages', { cid: campaign.id }, { refetchInterval: interval });
  if (!data || data.length === 0) return null;
  const nameOf = ({ language, removed }: Version) =>
    language === '' ? t('languageMain') : removed ? t('languageRemoved', { name: names(language) }) : names(language);
  const rate = (title: string, name: 'opens' | 'clicks' | 'unsubscribes'): Column<Version> => ({
    name,
    title,
    figure: true,
    width: '110px',
    cell: (version) => (
      <>
        {shareOf(version[name], version.sent)}{' '}
        <Text span size="xs" c="dimmed">
          {number(version[name])}
        </Text>
      </>
    ),
  });
  const columns: Column<Version>[] = [
    { name: 'language', title: t('languageName'), cell: nameOf },
    {
      name: 'recipients',
      title: t('languageRecipients'),
      figure: true,
      width: '110px',
      cell: (v) => number(v.recipients),
    },
    { name: 'sent', title: t('abSent'), figure: true, width: '90px', cell: ({ sent }) => number(sent) },
    rate(t('abOpens'), 'opens'),
    rate(t('abClicks'), 'clicks'),
    { ...rate(t('abLeft'), 'unsubscribes'), wideOnly: true },
  ];
  return (
    <Section title={t('languages')}>
      <Rows
        label={t('languages')}
        columns={columns}
        rows={data}
        keyOf={({ language }) => language}
        nameOf={nameOf}
        empty={null}
      />
    </Section>
  );
}
