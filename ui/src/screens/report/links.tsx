// Where people clicked: the links as a table, and the message in a frame that runs no script, with the share of clicks at
// each link.
import { Stack, Text } from '@mantine/core';
import { useMemo } from 'react';
import { homeUrl } from '../../api/base-path.ts';
import { useMethod } from '../../api/use-method.ts';
import { useFormats } from '../../parts/formats.ts';
import { Lines } from '../../parts/loaded.tsx';
import { isForReaders, shownMail } from '../../parts/mail-page.ts';
import { Section } from '../../parts/page.tsx';
import { useTagsMarked } from '../../parts/tagged/mail-tags.ts';
import { useText } from '../../text/use-text.tsx';
import type { Campaign } from './campaign.ts';
import { clickMap } from './click-map.ts';
import { LinkTable } from './overview/link-table.tsx';
import classes from './report.module.css';

export function Links({ campaign }: { campaign: Campaign }) {
  const t = useText('report');
  return (
    <Stack gap="xl">
      <Section title={t('linksTitle')}>
        <LinkTable cid={campaign.id} />
      </Section>
      {campaign.type !== 'plain text' && <ClickMap campaign={campaign} />}
    </Stack>
  );
}

function ClickMap({ campaign }: { campaign: Campaign }) {
  const t = useText('report');
  const { number, shareOf } = useFormats();
  const content = useMethod('campaignContent', { cid: campaign.id });
  const links = useMethod('campaignClickStats', { cid: campaign.id });
  const html = content.data?.html ?? '';
  const shown = useMemo(() => shownMail(html, (address) => isForReaders(address, homeUrl())), [html]);
  const marked = useTagsMarked(shown);
  const page = useMemo(() => {
    if (!content.data || !links.data) return undefined;
    const sum = links.data.reduce((all, { clicks }) => all + clicks, 0);
    return clickMap(marked, links.data, ({ clicks }) => `${number(clicks)} · ${shareOf(clicks, sum)}`);
  }, [content.data, marked, links.data, number, shareOf]);
  if (content.data?.html === '') return null;
  return (
    <Section title={t('map')} description={t('mapAbout')}>
      {page === undefined ? (
        <Lines />
      ) : page === '' ? (
        <Text c="dimmed">{t('noLinks')}</Text>
      ) : (
        <iframe className={classes.frame} sandbox="" srcDoc={page} title={t('map')} />
      )}
    </Section>
  );
}
