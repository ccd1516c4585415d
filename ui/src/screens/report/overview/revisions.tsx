// The texts of a campaign that was corrected after its launch: who published each, and how many got it.
import { Button, Group, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../../api/call.ts';
import type { ResultOf } from '../../../api/types.ts';
import { invalidate, useMethod } from '../../../api/use-method.ts';
import { useFormats } from '../../../parts/formats.ts';
import { Section } from '../../../parts/page.tsx';
import { type Column, Rows } from '../../../parts/table/rows.tsx';
import { Time } from '../../../parts/time.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { useAction } from '../../../parts/use-action.ts';
import { useSession } from '../../../session/session.ts';
import { useText } from '../../../text/use-text.tsx';
import type { Campaign } from '../campaign.ts';

type Revision = ResultOf<'campaignRevisions'>[number];

export function Revisions({ campaign }: { campaign: Campaign }) {
  const t = useText('report');
  const { number } = useFormats();
  // Of a million recipients the figures take seconds.
  const { data = [] } = useMethod('campaignRevisions', { cid: campaign.id }, { refetchInterval: 60_000 });
  const options = useMethod('campaignGet', { cid: campaign.id });
  const unpublished = options.data?.unpublished === true;
  if (data.length === 0 && !unpublished) return null;
  const columns: Column<Revision>[] = [
    {
      name: 'revision',
      title: t('revision'),
      cell: ({ revision, published_at, by }) => (
        <Stack gap={0}>
          <Text>{t('revisionOf', { no: number(revision) })}</Text>
          <Text size="xs" c="dimmed">
            <Time at={published_at} />
            {by !== '' && ` · ${by}`}
          </Text>
        </Stack>
      ),
    },
    {
      name: 'recipients',
      title: t('languageRecipients'),
      figure: true,
      width: '110px',
      cell: (r) => number(r.recipients),
    },
    { name: 'sent', title: t('abSent'), figure: true, width: '90px', cell: ({ sent }) => number(sent) },
    { name: 'opens', title: t('abOpens'), figure: true, width: '90px', cell: ({ opens }) => number(opens) },
    { name: 'clicks', title: t('abClicks'), figure: true, width: '90px', cell: ({ clicks }) => number(clicks) },
  ];
  return (
    <Section title={t('revisions')} description={t('revisionsAbout')}>
      <Stack gap="sm">
        {unpublished && <Unpublished campaign={campaign} />}
        {data.length > 0 && (
          <Rows
            label={t('revisions')}
            columns={columns}
            rows={data}
            keyOf={({ revision }) => String(revision)}
            nameOf={({ revision }) => t('revisionOf', { no: number(revision) })}
            empty={null}
          />
        )}
      </Stack>
    </Section>
  );
}

/** The text was changed, and no one gets the change yet. */
function Unpublished({ campaign: { id: cid, delivery_status: state } }: { campaign: Campaign }) {
  const t = useText('report');
  const { may } = useSession();
  const client = useQueryClient();
  const { busy, run } = useAction();
  const publish = () =>
    run(async () => {
      await call('campaignRevisionCreate', { cid });
      toast.done(t('published'));
      await invalidate(client, ['campaign']);
    });
  if (state !== 'paused' && state !== 'sending') return null;
  return (
    <Group gap="sm">
      <Text size="sm">{t(state === 'paused' ? 'unpublishedPaused' : 'unpublished')}</Text>
      {state === 'sending' && may('campaigns:send') && (
        <Button size="xs" loading={busy} onClick={publish}>
          {t('publish')}
        </Button>
      )}
    </Group>
  );
}
