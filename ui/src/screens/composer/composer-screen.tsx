// The composer, over the whole window: settings at the left, the email in the middle, and, as the second step, the review
// from which it is sent. On a phone settings and email are two tabs. Changes are saved automatically (draft.tsx).

import { Alert, Button, Group, SegmentedControl, Text, VisuallyHidden } from '@mantine/core';
import {
  IconAdjustments,
  IconArrowsSplit2,
  IconCalendarTime,
  IconLanguage,
  IconMessages,
  IconPaperclip,
  IconSignature,
  IconUsers,
} from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useBlocker, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useRef, useState } from 'react';
import { ApiFault, call } from '../../api/call.ts';
import { invalidate, useMethod } from '../../api/use-method.ts';
import { FaultScreen } from '../../parts/fault.tsx';
import { parseTime, useFormats } from '../../parts/formats.ts';
import { useShortcut } from '../../parts/keys.ts';
import { LinkButton } from '../../parts/link.tsx';
import { Lines } from '../../parts/loaded.tsx';
import { Page, PageHeader } from '../../parts/page.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useAction } from '../../parts/use-action.ts';
import { useSession } from '../../session/session.ts';
import { useLanguageNames } from '../../text/language-names.ts';
import { useText } from '../../text/use-text.tsx';
import type { CampaignState } from '../campaigns/states.ts';
import { BlockComments } from './approval/block-comments.tsx';
import { Comments, useOpenComments } from './approval/comments.tsx';
import { sizeText, useAttachedSize } from './attachments/attached.ts';
import { AttachmentsSection } from './attachments/attachments-section.tsx';
import classes from './composer.module.css';
import { ContentSection, type ContentTab } from './content/content-section.tsx';
import type { WrittenFormat } from './content/written.ts';
import { DraftProvider, Fixed, useDraft } from './draft.tsx';
import type { Place } from './findings.ts';
import { FromSection } from './from-section.tsx';
import { ComposerBar, NoConnection } from './head/composer-bar.tsx';
import { InboxHead } from './head/inbox-head.tsx';
import { TestDialog } from './head/test-dialog.tsx';
import { LanguagesSection } from './languages/languages-section.tsx';
import { OptionsSection } from './options-section.tsx';
import { ConflictDialog } from './others/conflict-dialog.tsx';
import { readDraft } from './others/read-draft.ts';
import { PreviewPanel } from './preview/preview-panel.tsx';
import { ReviewPage } from './review/review-page.tsx';
import { ComposerSection, type SectionName, sheets } from './section.tsx';
import { AutoSection, useAutoSummary } from './send/auto-section.tsx';
import type { Leaving } from './send/send-section.tsx';
import { SheetSection } from './sheet-section.tsx';
import { stateNotice } from './state-notice.ts';
import { ToSection, useAudience, useIsOfAutomation } from './to-section.tsx';
import { BesideBlock } from './visual/settings/beside-block.ts';

const TestSection = lazy(() => import('./ab-test/test-section.tsx'));

const route = getRouteApi('/shell/campaigns/$id/edit');

/** Loaded with the composer, of which it is made. */
export { ApprovalScreen } from './approval/approval-page.tsx';

export function ComposerScreen() {
  const t = useText('composer');
  const { id: cid } = route.useParams();
  const session = useSession();
  const options = useMethod('campaignGet', { cid });
  const [leaving, setLeaving] = useState<Leaving>();
  // In the seconds before sending starts, the screen stays as it was: the user may still undo it.
  const shown = useRef(options.data);
  if (!leaving) shown.current = options.data;
  // Read once: from then on the fields are newer than what the server has.
  const initial = useQuery({
    queryKey: ['composer', cid],
    queryFn: () => readDraft(cid),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const error = initial.error ?? options.error;
  if (error && !(initial.data && options.data)) {
    if (isMissing(error)) return <NoCampaign />;
    return <FaultScreen error={error} onRetry={() => void Promise.all([initial.refetch(), options.refetch()])} />;
  }
  if (!initial.data || !shown.current)
    return (
      <Page>
        <PageHeader title={t('loading')} back={{ to: '/campaigns', label: t('allCampaigns') }} />
        <Lines count={6} height={56} />
      </Page>
    );
  const { can_change, can_correct, unpublished, type, delivery_status, schedule_time, undo_seconds_left } =
    shown.current;
  const fixed = !(can_change || can_correct) || !session.may('campaigns:write');
  return (
    <DraftProvider key={cid} cid={cid} initial={initial.data} type={type} fixed={fixed}>
      <BesideBlock value={commentsOn}>
        <Composer
          state={delivery_status}
          scheduledFor={schedule_time}
          undoSecondsLeft={undo_seconds_left}
          leaving={leaving}
          setLeaving={setLeaving}
          correcting={can_correct}
          unpublished={unpublished}
        />
      </BesideBlock>
    </DraftProvider>
  );
}

const isMissing = (error: unknown) => error instanceof ApiFault && error.status === 404;

/** In place of a campaign that was deleted, or never was. */
function NoCampaign() {
  const t = useText('composer');
  return (
    <Page>
      <PageHeader
        title={t('goneTitle')}
        description={t('goneText')}
        back={{ to: '/campaigns', label: t('allCampaigns') }}
      />
    </Page>
  );
}

/** The comments on a block, by its words. */
const commentsOn = (words: string) => <BlockComments key={words} words={words} />;

type ComposerProps = {
  state: CampaignState;
  scheduledFor: string;
  /** How long a start can still be undone that this tab may not have made. */
  undoSecondsLeft: number;
  leaving: Leaving | undefined;
  setLeaving(leaving: Leaving | undefined): void;
  /** Some have received it, or it is being sent: only subject and content can be changed. */
  correcting: boolean;
  /** They were changed, and no one gets the change yet. */
  unpublished: boolean;
};

function Composer(props: ComposerProps) {
  const { state, scheduledFor, undoSecondsLeft, leaving, setLeaving, correcting } = props;
  const t = useText('composer');
  const { type, values, saving, fixed, flush } = useDraft();
  const [open, setOpen] = useState<ReadonlySet<SectionName>>(new Set(['to']));
  const [tab, setTab] = useState<ContentTab>(() => firstTab(type, values.written.format));
  const [find, setFind] = useState<{ text: string }>();
  /** Only on a narrow screen: which of the two is shown. */
  const [panel, setPanel] = useState<Panel>('email');
  /** Only on a phone: whether the fields above the email are shown. */
  const [headOpen, setHeadOpen] = useState(values.subject === '');
  const [reviewing, setReviewing] = useState(false);
  const [dialog, setDialog] = useState<'preview' | 'test'>();
  const releasable = state === 'draft' || state === 'scheduled';

  const toggle = (name: SectionName) => {
    const next = new Set(open);
    if (!next.delete(name)) next.add(name);
    setOpen(next);
  };
  /** All that are open, but no sheet. */
  const besideSheets = () => [...open].filter((name) => !sheets.has(name));
  const goTo = (place: Place, text?: string) => {
    setReviewing(false);
    setPanel(place.section === 'content' ? 'email' : 'settings');
    setOpen(new Set([...besideSheets(), place.section]));
    // From the visual editor to the source only when the text is not to be found here.
    const stays = place.tab === 'source' && tab === 'visual' && text !== undefined;
    if (place.tab && !stays) setTab(place.tab);
    if (place.section === 'content' && place.field) setHeadOpen(true);
    setFind(place.tab === 'source' && text ? { text } : undefined);
    // After the section has rendered.
    setTimeout(() => focusOn(place, text), 50);
  };
  const review = (next: boolean) => {
    setReviewing(next);
    window.scrollTo({ top: 0 });
    // What is checked is what has been saved.
    if (next) void flush();
  };
  const preview = async () => {
    await flush();
    setDialog('preview');
  };
  useShortcut('mod+s', t('saveNow'), () => void flush());
  useShortcut('mod+p', t('preview'), () => void preview());
  useBlocker({
    shouldBlockFn: async () => !(await flush()) && !window.confirm(t('leaveUnsaved')),
    enableBeforeUnload: () => saving !== 'saved',
  });
  return (
    <div className={classes.page} data-full-page>
      <ComposerBar
        state={state}
        undoSecondsLeft={undoSecondsLeft}
        reviewing={reviewing && releasable}
        leaving={leaving}
        onPreview={preview}
        onTest={() => setDialog('test')}
        onReview={review}
      />
      <NoConnection />
      <Notice {...props} fixed={fixed} onReschedule={reviewing ? undefined : () => review(true)} />
      {/* Hidden, not removed: the editors keep what can be undone. */}
      <div
        className={classes.writing}
        data-panel={panel}
        hidden={reviewing && releasable}
        inert={leaving !== undefined}
      >
        <PanelChoice panel={panel} onPanel={setPanel} />
        <SettingsPanel open={open} onToggle={toggle} correcting={correcting} onGo={goTo} />
        <section className={classes.middle} id="section-content" aria-label={t('content')}>
          <VisuallyHidden component="h2">{t('content')}</VisuallyHidden>
          <InboxHead open={headOpen} onOpen={setHeadOpen} />
          <ContentSection
            tab={tab}
            onTab={(next) => {
              setTab(next);
              setFind(undefined);
            }}
            find={find}
            onFindInSource={() => setTab('source')}
          />
        </section>
      </div>
      {reviewing && releasable && (
        <ReviewPage {...{ scheduledFor, leaving, setLeaving }} onGo={goTo} onPreview={preview} />
      )}
      <PreviewPanel opened={dialog === 'preview'} onClose={() => setDialog(undefined)} />
      <TestDialog opened={dialog === 'test'} onClose={() => setDialog(undefined)} />
      <ConflictDialog />
    </div>
  );
}

/** What there is to know about a campaign that is no draft. */
function Notice({
  leaving: _leaving,
  setLeaving: _setLeaving,
  ...notDraft
}: ComposerProps & { fixed: boolean; onReschedule: (() => void) | undefined }) {
  if (notDraft.state === 'draft') return null;
  return (
    <div className={classes.notice}>
      <NotDraft {...notDraft} />
    </div>
  );
}

type Panel = 'email' | 'settings';

/** On a narrow screen, which of the two is shown. */
function PanelChoice({ panel, onPanel }: { panel: Panel; onPanel(panel: Panel): void }) {
  const t = useText('composer');
  return (
    <SegmentedControl
      className={classes.panels}
      aria-label={t('panels')}
      value={panel}
      onChange={onPanel}
      fullWidth
      data={[
        { value: 'email', label: t('content') },
        { value: 'settings', label: t('settings') },
      ]}
    />
  );
}

/** The editor in which the email was written. */
function firstTab(type: string, format: 'html' | WrittenFormat): ContentTab {
  if (type === 'plain text') return 'plain';
  return format === 'html' ? 'visual' : format;
}

type SettingsPanelProps = {
  open: ReadonlySet<SectionName>;
  onToggle(name: SectionName): void;
  correcting: boolean;
  onGo(place: Place, text?: string): void;
};

/** The steps at the left: recipients, sender, schedule of an autoresponder, options. */
function SettingsPanel({ open, onToggle, correcting, onGo }: SettingsPanelProps) {
  const t = useText('composer');
  const approval = useText('approval');
  const { type } = useDraft();
  const isOfAutomation = useIsOfAutomation();
  const summaries = useSummaries();
  const section = (name: SectionName) => ({ name, open: open.has(name), onToggle, ...summaries[name] });
  return (
    <aside className={classes.left} aria-label={t('settings')}>
      <ComposerSection {...section('to')} icon={IconUsers} title={t('to')}>
        <Fixed on={correcting}>
          <ToSection />
        </Fixed>
      </ComposerSection>
      <ComposerSection {...section('from')} icon={IconSignature} title={t('from')}>
        <Fixed on={correcting}>
          <FromSection />
        </Fixed>
      </ComposerSection>
      {type === 'auto' && !isOfAutomation && (
        <ComposerSection {...section('auto')} icon={IconCalendarTime} title={t('auto')}>
          <Fixed on={correcting}>
            <AutoSection />
          </Fixed>
        </ComposerSection>
      )}
      <SheetSection {...section('attachments')} icon={IconPaperclip} title={t('attachments')}>
        <Fixed on={correcting}>
          <AttachmentsSection />
        </Fixed>
      </SheetSection>
      <SheetSection {...section('languages')} icon={IconLanguage} title={t('languages')}>
        <LanguagesSection correcting={correcting} />
      </SheetSection>
      {type !== 'auto' && (
        <SheetSection {...section('test')} icon={IconArrowsSplit2} title={t('abTest')}>
          <Fixed on={correcting}>
            <Suspense fallback={<Lines />}>
              <TestSection />
            </Suspense>
          </Fixed>
        </SheetSection>
      )}
      <ComposerSection {...section('options')} icon={IconAdjustments} title={t('options')}>
        <Fixed on={correcting}>
          <OptionsSection />
        </Fixed>
      </ComposerSection>
      <ComposerSection {...section('comments')} icon={IconMessages} title={approval('comments')}>
        <Comments
          onShow={(words) => onGo({ section: 'content', tab: type === 'plain text' ? 'plain' : 'source' }, words)}
        />
      </ComposerSection>
    </aside>
  );
}

function focusOn(place: Place, text?: string) {
  // It takes the focus itself.
  if (sheets.has(place.section)) return;
  const section = document.getElementById(`section-${place.section}`);
  section?.scrollIntoView({ block: 'start' });
  const field = place.field && section?.querySelector<HTMLElement>(`[name="${place.field}"]`);
  if (field) field.focus();
  else if (!place.tab || !text) section?.querySelector<HTMLElement>('button')?.focus();
}

/** The summary line of each section. */
function useSummaries(): Record<SectionName, { summary: string }> {
  const t = useText('composer');
  const { cid, values, type } = useDraft();
  const { account } = useSession();
  const attached = useAttachedSize(cid);
  const languageName = useLanguageNames();
  const audience = useAudience();
  const auto = useAutoSummary();
  const isOfAutomation = useIsOfAutomation();
  const approval = useText('approval');
  const open = useOpenComments(cid);
  const tracked = [
    values.tracking.opens && t('opensShort'),
    (values.tracking.html_clicks || values.tracking.text_clicks) && t('clicksShort'),
  ].filter(Boolean);
  return {
    to: {
      summary: isOfAutomation
        ? t('toAutomation')
        : audience.data
          ? t(type === 'auto' ? 'canGet' : 'wouldGet', { count: audience.data.recipients })
          : '…',
    },
    from: { summary: values.from_name || values.sender || account.email },
    auto: { summary: auto },
    content: { summary: '' },
    comments: { summary: open === 0 ? approval('commentsNone') : approval('commentsOpen', { count: open }) },
    attachments: {
      summary:
        attached.files.length === 0
          ? t('attachmentsNone')
          : t('attachmentsSummary', { count: attached.files.length, size: sizeText(attached.size) }),
    },
    languages: {
      summary:
        values.languages.length === 0
          ? t('languagesNone')
          : values.languages.map(({ language }) => languageName(language)).join(', '),
    },
    test: {
      summary: values.test.on
        ? t('testSummary', { count: values.test.variants.length + 1, share: values.test.share })
        : t('testOff'),
    },
    options: {
      summary: [
        tracked.length > 0 ? t('counts', { what: tracked.join(', ') }) : t('countsNothing'),
        values.auto_footer && t('footerShort'),
        values.time_match && t('timeMatchShort'),
        values.best_hour && t('bestHourShort'),
      ]
        .filter(Boolean)
        .join(' · '),
    },
  };
}

/** Shown for a campaign that is no longer a draft: its state, and a button to unschedule it or to view its delivery. */
function NotDraft({
  state,
  scheduledFor,
  undoSecondsLeft,
  fixed,
  correcting,
  unpublished,
  onReschedule,
}: Omit<ComposerProps, 'leaving' | 'setLeaving'> & { fixed: boolean; onReschedule: (() => void) | undefined }) {
  const t = useText('composer');
  const { cid, type } = useDraft();
  const formats = useFormats();
  const { may } = useSession();
  const client = useQueryClient();
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
            : state === 'launching'
              ? t(undoSecondsLeft > 0 ? 'canBeUndone' : 'isStarting')
              : correcting && !fixed
                ? t(state === 'paused' ? 'isCorrectedPaused' : 'isCorrected')
                : fixed
                  ? t(type === 'auto' ? 'isActive' : 'isOnItsWay')
                  : t('isPaused')}
        </Text>
        {state === 'scheduled' && may('campaigns:send') && (
          <Group gap="xs">
            {onReschedule && (
              <Button size="xs" variant="default" onClick={onReschedule}>
                {t('reschedule')}
              </Button>
            )}
            <Button size="xs" variant="default" onClick={unschedule}>
              {t('unschedule')}
            </Button>
          </Group>
        )}
        {correcting && unpublished && state === 'sending' && may('campaigns:send') && <Publish />}
        {state !== 'scheduled' && (
          <LinkButton size="xs" variant="default" to="/campaigns/$id" params={{ id: cid }}>
            {t('seeDelivery')}
          </LinkButton>
        )}
      </Group>
    </Alert>
  );
}

/** Those who come from now on get the corrected text; the report shows when it is published. */
function Publish() {
  const t = useText('composer');
  const { cid, flush } = useDraft();
  const navigate = useNavigate();
  const client = useQueryClient();
  const { busy, run } = useAction();
  const publish = () =>
    run(async () => {
      if (!(await flush())) return;
      await call('campaignRevisionCreate', { cid });
      toast.done(t('published'));
      await navigate({ to: '/campaigns/$id', params: { id: cid } });
      await invalidate(client, ['campaign']);
    });
  return (
    <Button size="xs" loading={busy} onClick={publish}>
      {t('publish')}
    </Button>
  );
}
