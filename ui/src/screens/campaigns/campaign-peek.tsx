// A closer look at a campaign, in the panel at the side: its state, subject, figures, and the email.

import { Stack, Text } from '@mantine/core';
import type { ResultOf } from '../../api/types.ts';
import { useMethod } from '../../api/use-method.ts';
import { useFormats } from '../../parts/formats.ts';
import { LinkButton } from '../../parts/link.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Stat, Stats } from '../../parts/stat/stat.tsx';
import { Tagged } from '../../parts/tagged/tagged.tsx';
import { useText } from '../../text/use-text.tsx';
import { MailFrame, textPage } from '../composer/preview/mail-frame.tsx';
import { CampaignStatus } from './campaign-status.tsx';
import { placeOf } from './place.ts';

type Campaign = ResultOf<'campaignSearch'>['data'][number];

export default function CampaignPeek({ campaign }: { campaign: Campaign }) {
  const t = useText('campaigns');
  const { number, shareOf } = useFormats();
  const cid = campaign.id;
  const sent = campaign.emails_sent;
  const content = useMethod('campaignContent', { cid });
  const stats = useMethod('campaignStats', { cid }, { enabled: sent > 0 });
  return (
    <Stack gap="md">
      <Stack gap={4} align="flex-start">
        <CampaignStatus campaign={campaign} />
        <Text>
          <Tagged>{campaign.subject}</Tagged>
        </Text>
        <Text size="xs" c="dimmed">
          <Tagged>{campaign.from_name}</Tagged> · {campaign.from_email}
        </Text>
      </Stack>
      {sent > 0 && (
        <Stats>
          <Stat label={t('sent')} value={number(sent)} />
          <Stat label={t('opened')} value={stats.data ? shareOf(stats.data.unique_opens, sent) : '–'} />
          <Stat label={t('clicked')} value={stats.data ? shareOf(stats.data.users_who_clicked, sent) : '–'} />
        </Stats>
      )}
      <LinkButton {...placeOf(campaign)} variant="default">
        {t('open')}
      </LinkButton>
      <Loaded query={content}>
        {({ html, plain }) => <MailFrame html={html || textPage(plain)} title={t('preview')} height={520} />}
      </Loaded>
    </Stack>
  );
}
