// The composer: one page on which a campaign is written, checked and sent, in sections that open and close. Changes are
// saved automatically (draft.tsx).
import { Alert, Button, Group, Text } from '@mantine/core';
import {
  IconAdjustments,
  IconCalendarTime,
  IconChecklist,
  IconEye,
  IconMailOpened,
  IconSend,
  IconSignature,
  IconUsers,
} from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useBlocker, useRouter } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { call } from '../../api/call.ts';
import { invalidate, useMethod } from '../../api/use-method.ts';
import { FaultScreen } from '../../parts/fault.tsx';
import { parseTime, useFormats } from '../../parts/formats.ts';
import { Lines } from '../../parts/loaded.tsx';
import { Page, PageHeader } from '../../parts/page.tsx';
import { Status } from '../../parts/status/status.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useSession } from '../../session/session.ts';
import { useShortcut } from '../../shell/keys.ts';
import { useText } from '../../text/use-text.tsx';
import { CampaignStatus } from '../campaigns/campaign-status.tsx';
import { CheckSection, useFindings } from './check-section.tsx';
import classes from './composer.module.css';
import { ContentSection, type ContentTab } from './content/content-section.tsx';
import { DraftProvider, type DraftValues, useDraft } from './draft.tsx';
import { isAudience, type Place } from './findings.ts';
import { FromSection } from './from-section.tsx';
import { OptionsSection } from './options-section.tsx';
import { PreviewPanel } from './preview/preview-panel.tsx';
import { ComposerSection, type SectionName } from './section.tsx';
import { AutoSection, useAutoSummary } from './send/auto-section.tsx';
import { SendSection } from './send/send-section.tsx';
import { stateNotice } from './state-notice.ts';
import { ToSection, useAudience } from './to-section.tsx';

const route = getRouteApi('/shell/campaigns/$id/edit');

export function ComposerScreen() {
  const t = useText('composer');
  const { id: cid } = route.useParams();
  const session = useSession();
  const options = useMethod('campaignOptions', { cid });
  const [leaving, setLeaving] = useState(false);
  // In the seconds before sending starts, the screen stays as it was: the user may still undo it.
  const shown = useRef(options.data);
  if (!leaving) shown.current = options.data;
  // Read once: from then on the fields are newer than what the server has.
  const initial = useQuery({
    queryKey: ['composer', cid],
    queryFn: async () => {
      const [settings, content] = await Promise.all([
        call('campaignOptions', { cid }),
        call('campaignContent', { cid }),
      ]);
      return { ...settings, html: content.html, plain: settings.plain_generated ? '' : content.plain };
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const error = initial.error ?? options.error;
  if (error && !(initial.data && options.data))
    return <FaultScreen error={error} onRetry={() => void Promise.all([initial.refetch(), options.refetch()])} />;
  if (!initial.data || !shown.current)
    return (
      <Page>
        <PageHeader title={t('loading')} back={{ to: '/campaigns', label: t('allCampaigns') }} />
        <Lines count={6} height={56} />
      </Page>
    );
  const { can_change, type, delivery_status, schedule_time } = shown.current;
  const fixed = !can_change || !session.may('write');
  return (
    <DraftProvider
      key={cid}
      cid={cid}
      initial={valuesOf(initial.data)}
      type={type as 'HTML' | 'plain text' | 'auto'}
      fixed={fixed}
    >
      <Composer state={delivery_status} scheduledFor={schedule_time} leaving={leaving} setLeaving={setLeaving} />
    </DraftProvider>
  );
}

type ComposerProps = { state: string; scheduledFor: string; leaving: boolean; setLeaving(leaving: boolean): void };

function Composer({ state, scheduledFor, leaving, setLeaving }: ComposerProps) {
  const t = useText('composer');
  const { values, type, saving, fixed, flush } = useDraft();
  const [open, setOpen] = useState<ReadonlySet<SectionName>>(new Set(['content']));
  const [tab, setTab] = useState<ContentTab>(type === 'plain text' ? 'plain' : 'visual');
  const [find, setFind] = useState<{ text: string }>();
  const [previewing, setPreviewing] = useState(false);
  const summaries = useSummaries(state);
  const releasable = state === 'draft' || state === 'scheduled';

  const toggle = (name: SectionName) => {
    const next = new Set(open);
    if (!next.delete(name)) next.add(name);
    setOpen(next);
  };
  const goTo = (place: Place, text?: string) => {
    setOpen(new Set([...open, place.section]));
    if (place.tab) setTab(place.tab);
    setFind(place.tab === 'source' && text ? { text } : undefined);
    // After the section has rendered.
    setTimeout(() => focusOn(place, text), 50);
  };
  const preview = async () => {
    await flush();
    setPreviewing(true);
  };
  useShortcut('mod+s', t('saveNow'), () => void flush());
  useShortcut('p', t('preview'), () => void preview());
  useBlocker({
    shouldBlockFn: async () => !(await flush()) && !window.confirm(t('leaveUnsaved')),
    enableBeforeUnload: () => saving !== 'saved',
  });
  const section = (name: SectionName) => ({ name, open: open.has(name), onToggle: toggle, ...summaries[name] });
  return (
    <Page>
      <PageHeader
        title={values.title || values.subject || t('untitled')}
        status={
          <>
            <CampaignStatus campaign={{ type, delivery_status: state }} />
            {!fixed && <SaveStatus />}
          </>
        }
        back={{ to: '/campaigns', label: t('allCampaigns') }}
        actions={
          <>
            <Button variant="default" leftSection={<IconEye size={16} aria-hidden />} onClick={preview}>
              {t('preview')}
            </Button>
            {!fixed && releasable && (
              <Button leftSection={<IconSend size={16} aria-hidden />} onClick={() => goTo({ section: 'send' })}>
                {t('goSend')}
              </Button>
            )}
          </>
        }
      />
      {state !== 'draft' && <NotDraft state={state} scheduledFor={scheduledFor} fixed={fixed} />}
      <div inert={leaving}>
        <ComposerSection {...section('to')} icon={IconUsers} title={t('to')}>
          <ToSection />
        </ComposerSection>
        <ComposerSection {...section('from')} icon={IconSignature} title={t('from')}>
          <FromSection />
        </ComposerSection>
        {type === 'auto' && (
          <ComposerSection {...section('auto')} icon={IconCalendarTime} title={t('auto')}>
            <AutoSection />
          </ComposerSection>
        )}
        <ComposerSection {...section('content')} icon={IconMailOpened} title={t('content')}>
          <ContentSection tab={tab} onTab={setTab} find={find} />
        </ComposerSection>
        <ComposerSection {...section('options')} icon={IconAdjustments} title={t('options')}>
          <OptionsSection />
        </ComposerSection>
        {(releasable || !fixed) && (
          <ComposerSection {...section('check')} icon={IconChecklist} title={t('check')}>
            <CheckSection onGo={goTo} />
          </ComposerSection>
        )}
        {releasable && (
          <ComposerSection {...section('send')} icon={IconSend} title={type === 'auto' ? t('startSection') : t('send')}>
            <SendSection
              // A new schedule is shown in the fields.
              key={scheduledFor}
              scheduledFor={scheduledFor}
              leaving={leaving}
              setLeaving={setLeaving}
              onCheck={() => goTo({ section: 'check' })}
            />
          </ComposerSection>
        )}
      </div>
      <PreviewPanel opened={previewing} onClose={() => setPreviewing(false)} />
    </Page>
  );
}

function focusOn(place: Place, text?: string) {
  const section = document.getElementById(`section-${place.section}`);
  section?.scrollIntoView({ block: 'start' });
  const field = place.field && section?.querySelector<HTMLElement>(`[name="${place.field}"]`);
  if (field) field.focus();
  else if (!place.tab || !text) section?.querySelector<HTMLElement>('button')?.focus();
}

function SaveStatus() {
  const t = useText('composer');
  const { saving } = useDraft();
  return (
    <Text
      size="sm"
      c={saving === 'failed' ? 'var(--mantine-color-error)' : 'dimmed'}
      role="status"
      className={classes.saveStatus}
    >
      {t(`saving.${saving}`)}
    </Text>
  );
}

/** The summary line of each section. */
function useSummaries(state: string) {
  const t = useText('composer');
  const { values, type } = useDraft();
  const { account } = useSession();
  const audience = useAudience();
  const findings = useFindings();
  const auto = useAutoSummary();
  const all = (findings.data ?? []).filter(({ code }) => !isAudience(code));
  const errors = all.filter(({ level }) => level === 'error').length;
  const warnings = all.filter(({ level }) => level === 'warning').length;
  const tracked = [
    values.tracking.opens && t('opensShort'),
    (values.tracking.html_clicks || values.tracking.text_clicks) && t('clicksShort'),
  ].filter(Boolean);
  const nothing: { summary: string; note?: React.ReactNode } = { summary: '' };
  return {
    to: {
      summary: audience.data ? t(type === 'auto' ? 'canGet' : 'wouldGet', { count: audience.data.recipients }) : '…',
    },
    from: { summary: `${values.from_name} <${values.sender || account.email}> · ${values.subject}` },
    auto: { summary: auto },
    content: {
      summary: type === 'plain text' ? t('plainOnly') : values.plain === '' ? t('htmlAndMade') : t('htmlAndOwn'),
    },
    options: {
      summary: [
        tracked.length > 0 ? t('counts', { what: tracked.join(', ') }) : t('countsNothing'),
        values.auto_footer && t('footerShort'),
        values.time_match && t('timeMatchShort'),
      ]
        .filter(Boolean)
        .join(' · '),
    },
    check: {
      summary: !findings.data
        ? '…'
        : errors + warnings === 0
          ? t('checkFine')
          : [errors > 0 && t('errors', { count: errors }), warnings > 0 && t('warnings', { count: warnings })]
              .filter(Boolean)
              .join(' · '),
      note: findings.data ? (
        <Status tone={errors > 0 ? 'bad' : warnings > 0 ? 'waiting' : 'good'}>
          {errors > 0 ? t('noteErrors') : warnings > 0 ? t('noteWarnings') : t('noteFine')}
        </Status>
      ) : undefined,
    },
    send:
      state === 'draft'
        ? { summary: type === 'auto' ? t('startSummary') : t('sendSummary') }
        : state === 'scheduled'
          ? { summary: t('scheduledSummary') }
          : nothing,
  };
}

/** Shown for a campaign that is no longer a draft: its state, and a button to unschedule it or to view its delivery. */
function NotDraft({ state, scheduledFor, fixed }: Omit<ComposerProps, 'leaving' | 'setLeaving'> & { fixed: boolean }) {
  const t = useText('composer');
  const { cid } = useDraft();
  const formats = useFormats();
  const { may } = useSession();
  const client = useQueryClient();
  const { routesByPath } = useRouter();
  const unschedule = async () => {
    try {
      await call('campaignUnschedule', { cid });
      await invalidate(client, ['campaign']);
      toast.done(t('unscheduled'));
    } catch (error) {
      toast.failed(error);
    }
  };
  const at = parseTime(scheduledFor);
  return (
    <Alert variant="default" role="status" id={stateNotice} tabIndex={-1}>
      <Group justify="space-between" gap="sm">
        <Text>
          {state === 'scheduled' && at
            ? t('isScheduled', { time: formats.dateTime(at) })
            : fixed
              ? t('isOnItsWay')
              : t('isPaused')}
        </Text>
        {state === 'scheduled' && may('send') && (
          <Button size="xs" variant="default" onClick={unschedule}>
            {t('unschedule')}
          </Button>
        )}
        {state !== 'scheduled' && '/campaigns/$id' in routesByPath && (
          <Button size="xs" variant="default" component={Link} to={`/campaigns/${cid}`}>
            {t('seeDelivery')}
          </Button>
        )}
      </Group>
    </Alert>
  );
}

/** Only what can be changed; campaignOptions returns more. */
function valuesOf(options: DraftValues): DraftValues {
  return {
    list_id: options.list_id,
    segment_id: options.segment_id,
    exclude_list_id: options.exclude_list_id,
    exclude_segment_id: options.exclude_segment_id,
    title: options.title,
    subject: options.subject,
    from_name: options.from_name,
    from_email: options.from_email,
    sender: options.sender,
    to_email: options.to_email,
    tracking: options.tracking,
    analytics: options.analytics,
    generate_text: options.generate_text,
    auto_footer: options.auto_footer,
    authenticate: options.authenticate,
    inline_img: options.inline_img,
    time_match: options.time_match,
    ln: options.ln,
    type_opts: options.type_opts,
    html: options.html,
    plain: options.plain,
  };
}
