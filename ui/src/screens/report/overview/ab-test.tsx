// The A/B test of a campaign: results by variant, the comparison in words, and, while recipients wait for it, the choice by hand.

import { Button, Group, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../../api/call.ts';
import type { ResultOf } from '../../../api/types.ts';
import { invalidate, useMethod } from '../../../api/use-method.ts';
import { confirm } from '../../../parts/confirm/confirm.tsx';
import { useFormats } from '../../../parts/formats.ts';
import { Section } from '../../../parts/page.tsx';
import { Status } from '../../../parts/status/status.tsx';
import { type Column, Rows } from '../../../parts/table/rows.tsx';
import { Tagged, useTagless } from '../../../parts/tagged/tagged.tsx';
import { Time, TimeIn } from '../../../parts/time.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { useAction } from '../../../parts/use-action.ts';
import { useSession } from '../../../session/session.ts';
import { useText } from '../../../text/use-text.tsx';
import type { Campaign } from '../campaign.ts';

type Info = ResultOf<'campaignTestGet'>;
type Variant = Info['variants'][number];

const nameOf = (variant: number): string => 'ABCDE'[variant] ?? '';

export function AbTest({ campaign }: { campaign: Campaign }) {
  const t = useText('report');
  const { shareOf, number } = useFormats();
  const sending = campaign.delivery_status !== 'sent';
  const { data } = useMethod('campaignTestGet', { cid: campaign.id }, { refetchInterval: sending ? 5_000 : 30_000 });
  if (!data?.on || data.state === 'draft') return null;
  const rate = (title: string, name: 'opens' | 'clicks' | 'unsubscribes'): Column<Variant> => ({
    name,
    title,
    figure: true,
    width: '110px',
    cell: (variant) => (
      <>
        {shareOf(variant[name], variant.sent)}{' '}
        <Text span size="xs" c="dimmed">
          {number(variant[name])}
        </Text>
      </>
    ),
  });
  const held = sending && data.chosen < 0 && data.rest.recipients > 0;
  const columns: Column<Variant>[] = [
    {
      name: 'variant',
      title: t('abVariant'),
      cell: (variant) => <Name variant={variant} info={data} />,
    },
    { name: 'sent', title: t('abSent'), figure: true, width: '90px', cell: ({ sent }) => number(sent) },
    rate(t('abOpens'), 'opens'),
    rate(t('abClicks'), 'clicks'),
    { ...rate(t('abLeft'), 'unsubscribes'), wideOnly: true },
    ...(held
      ? [
          {
            name: 'choose',
            title: t('abChoose'),
            untitled: true,
            width: '190px',
            cell: (variant: Variant) => <Choose campaign={campaign} variant={variant} rest={data.rest.recipients} />,
          },
        ]
      : []),
  ];
  return (
    <Section title={t('abTest')} description={<State info={data} held={held} />}>
      <Stack gap="sm">
        <Text fw={600} role="status">
          {data.summary}
        </Text>
        <Rows
          label={t('abTest')}
          columns={columns}
          rows={data.variants}
          keyOf={({ variant }) => String(variant)}
          nameOf={({ variant }) => nameOf(variant)}
          empty={null}
        />
        {data.rest.sent > 0 && (
          <Text size="sm" c="dimmed">
            {t('abRest', {
              count: data.rest.sent,
              opens: shareOf(data.rest.opens, data.rest.sent),
              clicks: shareOf(data.rest.clicks, data.rest.sent),
            })}
          </Text>
        )}
      </Stack>
    </Section>
  );
}

function Name({ variant, info }: { variant: Variant; info: Info }) {
  const t = useText('report');
  const won = info.chosen === variant.variant;
  const others = variant.differs
    .filter((part) => part !== 'subject')
    .filter((part) => part !== 'plain' || variant.html === '');
  return (
    <div>
      <Group gap="xs" wrap="nowrap">
        <Text fw={600}>{nameOf(variant.variant)}</Text>
        <Text style={{ overflowWrap: 'anywhere' }}>
          <Tagged>{variant.subject}</Tagged>
        </Text>
        {won && <Status tone="good">{t('abWinner')}</Status>}
      </Group>
      {others.length > 0 && (
        <Text size="xs" c="dimmed">
          {t('abDiffers', { what: others.map((part) => t(`abPart.${part}`)).join(', ') })}
        </Text>
      )}
    </div>
  );
}

/** What the test is doing, in one sentence. */
function State({ info, held }: { info: Info; held: boolean }) {
  const t = useText('report');
  const rest = info.rest.recipients;
  if (info.state === 'decided' && info.decided_by !== '')
    return <TimeIn text={t(`abDecided.${info.decided_by}`, { name: nameOf(info.chosen) })} at={info.decided_time} />;
  if (!held) return <>{t('abAll', { count: info.test_recipients })}</>;
  if (info.state === 'sending') return <>{t('abSending', { count: info.test_recipients, rest })}</>;
  if (info.due_time === '') return <>{t('abByHand', { count: rest })}</>;
  return (
    <>
      {t('abWaiting', { count: rest })} <Time at={info.due_time} />
    </>
  );
}

function Choose({ campaign, variant, rest }: { campaign: Campaign; variant: Variant; rest: number }) {
  const t = useText('report');
  const tagless = useTagless();
  const { number } = useFormats();
  const { may } = useSession();
  const client = useQueryClient();
  const { busy, run } = useAction();
  if (!may('campaigns:send')) return null;
  const name = nameOf(variant.variant);
  const choose = async () => {
    const sure = await confirm({
      title: t('abChooseTitle', { name }),
      figures: [{ value: number(rest), label: t('abChooseFigure', { count: rest }) }],
      text: t('abChooseText', { subject: tagless(variant.subject) }),
      action: t('abChooseDo'),
    });
    if (!sure) return;
    await run(async () => {
      await call('campaignTestChoose', { cid: campaign.id, variant: variant.variant });
      toast.done(t('abChosen', { name }));
      await invalidate(client, ['campaign']);
    });
  };
  return (
    <Button size="xs" variant="default" loading={busy} onClick={choose} aria-label={t('abChooseOf', { name })}>
      {t('abChoose')}
    </Button>
  );
}
