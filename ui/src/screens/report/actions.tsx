// The actions of a campaign that is no longer a draft: edit, pause, resume, stop, unschedule, duplicate, print, delete.

import { Button } from '@mantine/core';
import {
  IconCalendarOff,
  IconCopy,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerStop,
  IconPrinter,
  IconTemplate,
} from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { ApiFault, call } from '../../api/call.ts';
import { faultCodes } from '../../api/fault-codes.ts';
import { useMutate } from '../../api/use-method.ts';
import { confirm } from '../../parts/confirm/confirm.tsx';
import { useFormats } from '../../parts/formats.ts';
import { useArrangeItems } from '../../parts/labels/arranging.tsx';
import { LinkButton } from '../../parts/link.tsx';
import { type Item, ObjectMenu } from '../../parts/object-menu.tsx';
import { useNameOf } from '../../parts/tagged/tagged.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { type Campaign, isChangeable } from './campaign.ts';
import { Share } from './share.tsx';

type Props = {
  campaign: Campaign;
  isRefusedAlike: boolean;
  /** It was paused because of too many hard bounces or complaints. */
  isWatched: boolean;
};

export function Actions({ campaign, isRefusedAlike, isWatched }: Props) {
  const t = useText('report');
  const session = useSession();
  const navigate = useNavigate();
  const pause = useMutate('campaignPause');
  const unschedule = useMutate('campaignUnschedule');
  const replicate = useMutate('campaignReplicate');
  const template = useMutate('templateCreate', ['campaign']);
  const cid = campaign.id;
  const state = campaign.delivery_status;
  const nameOf = useNameOf();
  const destroy = useMutate('campaignDelete');
  const stop = useStop(campaign);
  const { number } = useFormats();
  const arrange = useArrangeItems('campaign');
  const showFault = { onError: toast.failed };
  const copy = () =>
    replicate.mutate(
      { cid },
      {
        onSuccess: (id) => {
          toast.done(t('copied'));
          navigate({ to: '/campaigns/$id', params: { id } });
        },
        ...showFault,
      },
    );
  const asTemplate = async () => {
    try {
      const { html } = await call('campaignContent', { cid });
      await template.mutateAsync({ name: nameOf(campaign), source: html });
      toast.done(t('templateMade'));
    } catch (error) {
      toast.failed(error);
    }
  };
  return (
    <>
      {session.may('campaigns:send') &&
        (state === 'sending' || (state === 'launching' && campaign.undo_seconds_left === 0)) && (
          <Button
            variant="default"
            loading={pause.isPending}
            leftSection={<IconPlayerPause size={16} aria-hidden />}
            onClick={() => pause.mutate({ cid }, showFault)}
          >
            {t('pause')}
          </Button>
        )}
      {session.may('campaigns:send') && state === 'paused' && <Resume cid={cid} isWatched={isWatched} />}
      {session.may('campaigns:send') && state === 'paused' && isRefusedAlike && <CountRefusals campaign={campaign} />}
      <Edit campaign={campaign} />
      {session.may('campaigns:send') && state === 'scheduled' && (
        <Button
          variant="default"
          loading={unschedule.isPending}
          leftSection={<IconCalendarOff size={16} aria-hidden />}
          onClick={() => unschedule.mutate({ cid }, showFault)}
        >
          {t('unschedule')}
        </Button>
      )}
      {session.mayAll('campaigns:write') && state !== 'scheduled' && campaign.send_time !== '' && (
        <Share campaign={campaign} />
      )}
      {arrange.dialog}
      <ObjectMenu
        items={[
          { label: t('print'), icon: IconPrinter, act: () => window.print() },
          session.may('campaigns:write') && { label: t('copy'), icon: IconCopy, act: copy },
          session.mayAll('campaigns:write') &&
            campaign.type !== 'plain text' && { label: t('asTemplate'), icon: IconTemplate, act: asTemplate },
          ...(session.may('campaigns:write') ? arrange.items({ ...campaign, name: nameOf(campaign) }) : []),
          session.may('campaigns:send') && (state === 'sending' || state === 'paused') && stop,
        ]}
        removal={
          session.may('campaigns:write') && {
            title: t('deleteTitle'),
            figures: [
              { value: number(campaign.emails_sent), label: t('deleteFigure', { count: campaign.emails_sent }) },
            ],
            text: t('deleteText'),
            action: t('delete'),
            remove: () => destroy.mutateAsync({ cid }),
            done: t('deleted'),
            backTo: campaign.type === 'auto' ? '/automations' : '/campaigns',
          }
        }
      />
    </>
  );
}

/** One that was paused because of too many hard bounces or complaints can be watched further. */
function Resume({ cid, isWatched }: { cid: string; isWatched: boolean }) {
  const t = useText('report');
  const resume = useMutate('campaignResume');
  const showFault = { onError: toast.failed };
  return (
    <>
      <Button
        loading={resume.isPending}
        leftSection={<IconPlayerPlay size={16} aria-hidden />}
        onClick={() => resume.mutate({ cid }, showFault)}
      >
        {t('resume')}
      </Button>
      {isWatched && (
        <Button
          variant="default"
          loading={resume.isPending}
          onClick={() => resume.mutate({ cid, watch_again: true }, showFault)}
        >
          {t('resumeWatched')}
        </Button>
      )}
    </>
  );
}

function Edit({ campaign }: { campaign: Campaign }) {
  const t = useText('report');
  const { may } = useSession();
  const { id, delivery_status: state } = campaign;
  if (!may('campaigns:write') || !isChangeable(campaign)) return null;
  return (
    <LinkButton
      to="/campaigns/$id/edit"
      params={{ id }}
      variant={state === 'scheduled' ? 'filled' : 'default'}
      leftSection={<IconPencil size={16} aria-hidden />}
    >
      {t('edit')}
    </LinkButton>
  );
}

/** For a campaign whose recipients all got the same refusal, and really do not exist. */
function CountRefusals({ campaign }: { campaign: Campaign }) {
  const t = useText('report');
  const resume = useMutate('campaignResume');
  const ask = async () => {
    const confirmed = await confirm({
      title: t('countRefusalsTitle'),
      text: t('countRefusalsText'),
      action: t('countRefusals'),
      danger: true,
    });
    if (confirmed) resume.mutate({ cid: campaign.id, count_refusals: true }, { onError: toast.failed });
  };
  return (
    <Button variant="default" loading={resume.isPending} onClick={ask}>
      {t('countRefusals')}
    </Button>
  );
}

/** Pauses the campaign and stops it permanently: remaining recipients do not receive it. */
function useStop(campaign: Campaign): Item {
  const t = useText('report');
  const { number } = useFormats();
  const stop = useMutate('campaignStop');
  /** Messages in flight at the pause get an outcome within two seconds; then it can be stopped. */
  const stopWhenIdle = async () => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await stop.mutateAsync({ cid: campaign.id });
      } catch (error) {
        if (attempt === 20 || !(error instanceof ApiFault) || error.code !== faultCodes.CAMPAIGN_STATE_CONFLICT)
          throw error;
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    }
  };
  const ask = async () => {
    try {
      const { queued, later, trying } = await call('campaignProgress', { cid: campaign.id });
      const left = queued + later + trying;
      const confirmed = await confirm({
        title: t('stopTitle'),
        figures: [{ value: number(left), label: t('stopFigure', { count: left }) }],
        text: t('stopText'),
        action: t('stop'),
        danger: true,
      });
      if (!confirmed) return;
      if (campaign.delivery_status === 'sending') await call('campaignPause', { cid: campaign.id });
      await stopWhenIdle();
      toast.done(t('stopped'));
    } catch (error) {
      toast.failed(error);
    }
  };
  return { label: t('stop'), icon: IconPlayerStop, disabled: stop.isPending, act: ask };
}
