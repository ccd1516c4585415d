// What to do with the results: resend to those who did not open, keep those who clicked as a segment, duplicate.
import { Button, Text } from '@mantine/core';
import { IconCopy, IconMailForward, IconUsersGroup } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { call } from '../../../api/call.ts';
import { invalidate } from '../../../api/use-method.ts';
import { useFormats } from '../../../parts/formats.ts';
import { Section } from '../../../parts/page.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { useSession } from '../../../session/session.ts';
import { useText } from '../../../text/use-text.tsx';
import type { Campaign } from '../campaign.ts';
import classes from '../report.module.css';
import type { StatsOf } from './rates.tsx';

type Step = {
  name: 'resend' | 'segment' | 'copy';
  icon: typeof IconCopy;
  count?: number;
  run(): Promise<void>;
};

export function Next({ campaign, stats }: { campaign: Campaign; stats: StatsOf }) {
  const t = useText('report');
  const { number } = useFormats();
  const { may } = useSession();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [busy, setBusy] = useState<string>();
  if (!may('write') || campaign.delivery_status !== 'sent') return null;
  const { id: cid, list_ids: lists } = campaign;
  const title = campaign.title || campaign.subject;
  const unopened = Math.max(0, stats.emails_sent - stats.unique_opens);
  const segments = (field: 'not_opened' | 'clicked', name: string) =>
    Promise.all(lists.map((list) => segmentOf({ list, field, cid, title: name.slice(0, 200) })));

  const steps: Step[] = [
    {
      name: 'resend',
      icon: IconMailForward,
      count: unopened,
      run: async () => {
        const ids = await segments('not_opened', t('segmentUnopened', { title }));
        const copy = await call('campaignReplicate', { cid });
        await call('campaignUpdate', { cid: copy, name: 'segment_id', value: ids });
        await call('campaignUpdate', { cid: copy, name: 'title', value: t('resendTitle', { title }).slice(0, 1_000) });
        toast.done(t('resendMade', { count: unopened }));
        navigate({ to: `/campaigns/${copy}/edit` as string });
      },
    },
    {
      name: 'segment',
      icon: IconUsersGroup,
      count: stats.users_who_clicked,
      run: async () => {
        const [first] = await segments('clicked', t('segmentClicked', { title }));
        toast.done(t('segmentMade'));
        navigate({ to: `/lists/${lists[0]}` as string, search: { tab: 'members', segment: first } as never });
      },
    },
    {
      name: 'copy',
      icon: IconCopy,
      run: async () => {
        const copy = await call('campaignReplicate', { cid });
        toast.done(t('copied'));
        navigate({ to: `/campaigns/${copy}/edit` as string });
      },
    },
  ];
  const start = async ({ name, run }: Step) => {
    setBusy(name);
    try {
      await run();
      await invalidate(client, ['campaign', 'list']);
    } catch (error) {
      toast.failed(error);
    } finally {
      setBusy(undefined);
    }
  };
  const possible = steps.filter(({ name, count }) => {
    if (name === 'resend') return campaign.track_opens && campaign.type !== 'auto' && count! > 0 && lists.length > 0;
    return name === 'segment' ? count! > 0 && lists.length > 0 : true;
  });
  return (
    <Section title={t('next')}>
      <ul className={classes.next}>
        {possible.map((step, i) => (
          <NextStep
            key={step.name}
            about={t(`next.${step.name}About`, { count: step.count === undefined ? 0 : step.count })}
            button={
              <Button
                variant={i === 0 ? 'filled' : 'default'}
                leftSection={<step.icon size={16} aria-hidden />}
                loading={busy === step.name}
                disabled={busy !== undefined && busy !== step.name}
                onClick={() => start(step)}
              >
                {t(`next.${step.name}`)}
              </Button>
            }
            figure={step.count === undefined ? '' : number(step.count)}
          />
        ))}
      </ul>
    </Section>
  );
}

function NextStep({ figure, about, button }: { figure: string; about: string; button: ReactNode }) {
  return (
    <li>
      <Text size="sm">
        {figure !== '' && <b>{figure}</b>} {about}
      </Text>
      {button}
    </li>
  );
}

type Wanted = { list: string; field: 'not_opened' | 'clicked'; cid: string; title: string };

/** The segment of a list with this one condition, which may have been made before. */
async function segmentOf({ list, field, cid, title }: Wanted): Promise<string> {
  const known = await call('listSegments', { id: list });
  const made = known.find(({ filter }) => {
    const [only] = filter;
    return filter.length === 1 && only && 'field' in only && only.field === field && only.value === cid;
  });
  const filter = [{ field, condition: 'is' as const, value: cid }];
  return made?.id ?? call('listSegmentCreate', { list, title, match: 'all', filter });
}
