// What to do with the results: send again to those who did not open, to those it did not reach, keep those who clicked as a segment,
// duplicate.

import { Button, Text } from '@mantine/core';
import { IconCopy, IconMailForward, IconRefresh, IconUsersGroup } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { call } from '../../../api/call.ts';
import { invalidate, useMethod } from '../../../api/use-method.ts';
import { parseTime, useFormats } from '../../../parts/formats.ts';
import { Section } from '../../../parts/page.tsx';
import { useNameOf } from '../../../parts/tagged/tagged.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { useSession } from '../../../session/session.ts';
import { type Translate, useText } from '../../../text/use-text.tsx';
import type { Campaign } from '../campaign.ts';
import classes from '../report.module.css';
import type { StatsOf } from './rates.tsx';

type Step = {
  name: 'resend' | 'retry' | 'segment' | 'copy';
  icon: typeof IconCopy;
  count?: number;
  run(): Promise<void>;
};

export function Next({ campaign, stats }: { campaign: Campaign; stats: StatsOf }) {
  const t = useText('report');
  const { number } = useFormats();
  const nameOf = useNameOf();
  const { may } = useSession();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [busy, setBusy] = useState<string>();
  const { id: cid, list_ids: lists } = campaign;
  const failed = useMethod('campaignProgress', { cid }).data?.failed ?? 0;
  if (!may('campaigns:write') || campaign.delivery_status !== 'sent') return null;
  const title = nameOf(campaign);
  const unopened = Math.max(0, stats.emails_sent - stats.unique_opens);
  const followUp = async (to: 'not_opened' | 'failed', count: number) => {
    const copy = await call('campaignFollowUp', { cid, to });
    // As the draft shows it: not all of the group can still get it.
    const { recipients } = await call('campaignAudience', { cid: copy });
    const fewer = count - recipients;
    toast.done(
      `${t('resendMade', { count: recipients })}${fewer > 0 ? ` ${t('resendLeftOut', { count: fewer })}` : ''}`,
    );
    navigate({ to: '/campaigns/$id/edit', params: { id: copy } });
  };

  const steps: Step[] = [
    {
      name: 'resend',
      icon: IconMailForward,
      count: unopened,
      run: () => followUp('not_opened', unopened),
    },
    { name: 'retry', icon: IconRefresh, count: failed, run: () => followUp('failed', failed) },
    {
      name: 'segment',
      icon: IconUsersGroup,
      count: stats.users_who_clicked,
      run: async () => {
        const name = t('segmentClicked', { title }).slice(0, 200);
        const [first] = await Promise.all(lists.map((list) => clickedSegment(list, cid, name)));
        toast.done(t('segmentMade'));
        navigate({ to: '/lists/$id', params: { id: lists[0]! }, search: { tab: 'members', segment: first } });
      },
    },
    {
      name: 'copy',
      icon: IconCopy,
      run: async () => {
        const copy = await call('campaignReplicate', { cid });
        toast.done(t('copied'));
        navigate({ to: '/campaigns/$id/edit', params: { id: copy } });
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
  const early = isEarly(campaign.send_time);
  const possible = steps.filter(({ name, count }) => {
    if (name === 'resend') return campaign.track_opens && campaign.type !== 'auto' && count! > 0 && lists.length > 0;
    if (name === 'retry') return campaign.type !== 'auto' && count! > 0 && lists.length > 0;
    return name === 'segment' ? count! > 0 && lists.length > 0 : true;
  });
  return (
    <Section title={t('next')}>
      <ul className={classes.next}>
        {possible.map((step, i) => (
          <NextStep
            key={step.name}
            about={wordsOf(t, step, early)}
            button={
              <Button
                variant={i === 0 && !(step.name === 'resend' && early) ? 'filled' : 'default'}
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

function wordsOf(t: Translate<'report'>, { name, count = 0 }: Step, early: boolean): string {
  return [
    t(`next.${name}About`, { count }),
    (name === 'resend' || name === 'retry') && t('next.leftSince'),
    name === 'resend' && early && t('next.resendEarly'),
  ]
    .filter(Boolean)
    .join(' ');
}

/** Whether most opens are still to come. */
function isEarly(sentAt: string): boolean {
  const at = parseTime(sentAt);
  return at !== undefined && Date.now() - at.getTime() < 24 * 3_600_000;
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

/** The segment of a list with those who clicked, which may have been made before. */
async function clickedSegment(list: string, cid: string, title: string): Promise<string> {
  const known = await call('listSegments', { id: list });
  const made = known.find(({ filter }) => {
    const [only] = filter;
    return filter.length === 1 && only && 'field' in only && only.field === 'clicked' && only.value === cid;
  });
  const filter = [{ field: 'clicked', condition: 'is' as const, value: cid }];
  return made?.id ?? call('listSegmentCreate', { list, title, match: 'all', filter });
}
