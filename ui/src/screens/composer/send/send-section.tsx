// The last step: sending now or scheduling, also in each recipient's time zone. Errors of the check stop
// both; warnings are shown, and the user confirms them. Sending now leaves some seconds for an undo, which the server waits:
// a page that is closed sends all the same. A scheduled campaign gets a new time here.

import { Alert, Button, Group, List, Stack, Text } from '@mantine/core';
import { IconAlertCircle, IconAlertTriangle, IconSend, IconUserQuestion } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { variantName } from '../../../../../src/campaigns/model/division.ts';
import { call } from '../../../api/call.ts';
import { invalidate } from '../../../api/use-method.ts';
import { confirm } from '../../../parts/confirm/confirm.tsx';
import { useFaultText } from '../../../parts/fault.tsx';
import { useFormats } from '../../../parts/formats.ts';
import { LinkButton } from '../../../parts/link.tsx';
import { Lines } from '../../../parts/loaded.tsx';
import { useTagless } from '../../../parts/tagged/tagged.tsx';
import type { UndoOptions } from '../../../parts/toast/kinds.ts';
import { toast } from '../../../parts/toast/toast.tsx';
import { useSession } from '../../../session/session.ts';
import { useText } from '../../../text/use-text.tsx';
import { divided } from '../ab-test/test-values.ts';
import { AskSection } from '../approval/ask-section.tsx';
import { type Approval, useApproval } from '../approval/use-approval.ts';
import { useFindings, useFindingText } from '../check-section.tsx';
import { useDraft } from '../draft.tsx';
import { asTreated } from '../findings.ts';
import { showState } from '../state-notice.ts';
import { useAudience } from '../to-section.tsx';
import { useAutoSummary } from './auto-section.tsx';
import { sendDay } from './late-time-field.tsx';
import { useAccountZone, useSaveAll } from './saving.ts';
import type { TimingChoice } from './timing-choice.ts';
import { undoSeconds } from './undo-seconds.ts';
import { WhenFields } from './when-fields.tsx';
import { momentOf, scheduleTime } from './zone-time.ts';

const Countdown = lazy(async () => ({ default: (await import('./countdown.tsx')).Countdown }));

/** Sending starts in a few seconds: nothing can be changed now. It can be undone once the server knows of it. */
export type Leaving = { countdown?: UndoOptions };

type Props = {
  choice: TimingChoice;
  leaving: Leaving | undefined;
  setLeaving(leaving: Leaving | undefined): void;
  onCheck(): void;
};

export function SendSection({ choice, leaving, setLeaving, onCheck }: Props) {
  const t = useText('composer');
  const { may } = useSession();
  const { cid } = useDraft();
  const { data: approval } = useApproval(cid);
  if (!may('campaigns:write')) return <Text c="dimmed">{t('mayNotSend')}</Text>;
  if (!approval) return <Lines />;
  const isApproved = approval.state === 'approved' && !approval.changed;
  if (approval.needed && !(may('campaigns:send') && isApproved))
    return (
      <Stack gap="md">
        <ToAnswer approval={approval} />
        <AskSection approval={approval} onCheck={onCheck} />
      </Stack>
    );
  return (
    <Stack gap="md">
      <ToAnswer approval={approval} />
      <Release choice={choice} leaving={leaving} setLeaving={setLeaving} onCheck={onCheck} />
    </Stack>
  );
}

/** For one who may approve it: the way to do so. */
function ToAnswer({ approval }: { approval: Approval }) {
  const t = useText('approval');
  const { cid } = useDraft();
  if (approval.state !== 'asked' || !approval.may_approve) return null;
  return (
    <Alert variant="outline" icon={<IconUserQuestion aria-hidden />}>
      <Group justify="space-between" gap="sm">
        <Text>{t('waitsForYou')}</Text>
        <LinkButton size="xs" to="/campaigns/$id/approval" params={{ id: cid }}>
          {t('review')}
        </LinkButton>
      </Group>
    </Alert>
  );
}

function Release({ choice, leaving, setLeaving, onCheck }: Props) {
  const t = useText('composer');
  const { type, fixed, isConnected } = useDraft();
  const findings = useFindings();
  const textOf = useFindingText();
  const returnToCampaign = useReturnToCampaign();
  const [fault, setFault] = useState<string>();
  const [timeFault, setTimeFault] = useState<string>();
  const auto = type === 'auto';
  const count = (wanted: string) => asTreated(findings.data ?? []).filter(({ level }) => level === wanted).length;
  const [errors, warnings] = [count('error'), count('warning')];
  const firstError = asTreated(findings.data ?? []).find(({ level }) => level === 'error');
  const button = { disabled: fixed || errors > 0 || !isConnected, onFault: setFault };
  const fields = (
    <>
      {errors > 0 ? (
        <Findings color="red" icon={<IconAlertCircle aria-hidden />} action={t('seeErrors')} onCheck={onCheck}>
          {errors === 1 && firstError ? textOf(firstError) : t('errorsStop', { count: errors })}
        </Findings>
      ) : (
        warnings > 0 && (
          <Findings color="yellow" icon={<IconAlertTriangle aria-hidden />} action={t('seeWarnings')} onCheck={onCheck}>
            {t('warningsAsk', { count: warnings })}
          </Findings>
        )
      )}
      {!auto && <WhenFields choice={choice} fault={timeFault} onFault={setTimeFault} disabled={fixed} />}
      {fault && (
        <Text c="var(--mantine-color-error)" role="alert">
          {fault}
        </Text>
      )}
      <Group>
        {choice.isLater && !auto ? (
          <ScheduleButton {...button} time={choice.time} scheduled={choice.scheduled} onTimeFault={setTimeFault} />
        ) : (
          <SendNowButton {...button} leaving={leaving} setLeaving={setLeaving} onSent={returnToCampaign} />
        )}
      </Group>
    </>
  );
  return (
    <>
      {leaving && (
        <Suspense fallback={<Text c="dimmed">{t('leaving')}</Text>}>
          {leaving.countdown ? <Countdown {...leaving.countdown} /> : <Text c="dimmed">{t('leaving')}</Text>}
        </Suspense>
      )}
      {/* Hidden, not removed: the button undoes, and gets the focus back. */}
      <Stack gap="md" hidden={leaving !== undefined} display={leaving ? 'none' : undefined}>
        {fields}
      </Stack>
    </>
  );
}

type FindingsProps = { color: string; icon: ReactNode; action: string; onCheck(): void; children: string };

/** What the check found, with a button that goes there. */
function Findings({ color, icon, action, onCheck, children }: FindingsProps) {
  return (
    <Alert color={color} variant="outline" icon={icon}>
      <Group justify="space-between" gap="sm">
        <Text>{children}</Text>
        <Button size="xs" variant="default" onClick={onCheck}>
          {action}
        </Button>
      </Group>
    </Alert>
  );
}

type ButtonProps = { disabled: boolean; onFault(fault: string | undefined): void };

type ScheduleProps = ButtonProps & {
  time: string;
  /** The time for which it is scheduled now, if it is. */
  scheduled: string | undefined;
  onTimeFault(fault: string): void;
};

function ScheduleButton({ time, scheduled, disabled, onFault, onTimeFault }: ScheduleProps) {
  const t = useText('composer');
  const formats = useFormats();
  const client = useQueryClient();
  const { cid } = useDraft();
  const faultText = useFaultText();
  const saveAll = useSaveAll(onFault);
  const checkNow = useCheckNow(onFault);
  const zone = useAccountZone();
  const at = momentOf(time, zone);
  const people = usePeople();
  const [busy, setBusy] = useState(false);
  const schedule = async () => {
    const wrong = !at ? t('timeMissing') : at.getTime() <= Date.now() ? t('timePast') : undefined;
    if (wrong) {
      onTimeFault(wrong);
      document.getElementById(sendDay)?.focus();
    }
    if (wrong || !at) return;
    setBusy(true);
    try {
      if (!(await saveAll())) return;
      const warnings = await checkNow();
      if (warnings === 'stop') return;
      const question = {
        title: t(scheduled ? 'rescheduleTitle' : 'scheduleTitle'),
        figures: people,
        text: (
          <>
            <Text fw={500}>{`${formats.dateTime(at)} (${zone})`}</Text>
            <Warnings texts={warnings} />
          </>
        ),
        action: t(scheduled ? 'rescheduleAnyway' : 'scheduleAnyway'),
      };
      if (warnings.length > 0 && !(await confirm(question))) return;
      await call('campaignSchedule', { cid, schedule_time: scheduleTime(at) });
      await invalidate(client, ['campaign']);
      toast.done(t('scheduled', { time: formats.dateTime(at) }));
      showState();
    } catch (error) {
      onFault(faultText(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button loading={busy} disabled={disabled || time === scheduled} onClick={schedule}>
      {t(scheduled ? 'reschedule' : 'scheduleDo')}
    </Button>
  );
}

type SendNowProps = ButtonProps & Pick<Props, 'leaving' | 'setLeaving'> & { onSent(): Promise<void> };

function SendNowButton({ disabled, onFault, leaving, setLeaving, onSent }: SendNowProps) {
  const t = useText('composer');
  const { cid, type } = useDraft();
  const faultText = useFaultText();
  const confirmSend = useConfirmSend();
  const saveAll = useSaveAll(onFault);
  const checkNow = useCheckNow(onFault);
  const { first, rest } = useFirstRecipients();
  const client = useQueryClient();
  const { button, focusWhenBack } = useFocusAfterUndo(leaving !== undefined);
  const [busy, setBusy] = useState(false);
  const auto = type === 'auto';
  const undo = async () => {
    try {
      await call('campaignUnschedule', { cid });
      await invalidate(client, ['campaign']);
      focusWhenBack();
      toast.done(t('takenBack'));
    } catch (error) {
      toast.failed(error);
      await onSent();
    } finally {
      setLeaving(undefined);
    }
  };
  const started = async () => {
    // It may have been undone on another device.
    const { delivery_status } = await call('campaignGet', { cid }).catch(() => ({ delivery_status: '' }));
    if (delivery_status === 'draft') {
      await invalidate(client, ['campaign']);
      toast.done(t('takenBack'));
    } else {
      toast.done(auto ? t('started') : t('sendingNow'));
      await onSent();
    }
    setLeaving(undefined);
  };
  const sendAfterUndoTime = async () => {
    setBusy(true);
    try {
      if (!(await saveAll())) return;
      const warnings = await checkNow();
      if (warnings === 'stop') return;
      // The dialog returns the focus to the button when it closes, which a busy button cannot take.
      flushSync(() => setBusy(false));
      button.current?.focus();
      if (!(await confirmSend(warnings))) return;
      setLeaving({});
      try {
        await call('campaignSendNow', { cid, undo_seconds: undoSeconds });
      } catch (error) {
        setLeaving(undefined);
        onFault(faultText(error));
        toast.failed(error);
        return;
      }
      const text = t(auto ? 'startingSoon' : 'sendingSoon');
      setLeaving({ countdown: { text, seconds: undoSeconds, onUndo: undo, onElapsed: started } });
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button
      ref={button}
      loading={busy}
      disabled={disabled}
      leftSection={<IconSend size={16} aria-hidden />}
      onClick={sendAfterUndoTime}
    >
      {auto ? t('start') : t(rest > 0 ? 'sendTest' : 'sendNow', { count: first })}
    </Button>
  );
}

/** How many get it at once, and how many wait for the winner of an A/B test. */
function useFirstRecipients(): { first: number; rest: number } {
  const { test } = useDraft().values;
  const recipients = useAudience().data?.recipients ?? 0;
  const rest = test.on ? divided(recipients, test).rest : 0;
  return { first: recipients - rest, rest };
}

/** The same, as figures of a question. */
function usePeople() {
  const t = useText('composer');
  const { number } = useFormats();
  const { first, rest } = useFirstRecipients();
  return [
    { value: number(first), label: t('peopleGetIt', { count: first }) },
    ...(rest > 0 ? [{ value: number(rest), label: t('peopleWait', { count: rest }) }] : []),
  ];
}

/** Asks whether to send, with what is going to be sent and the warnings of the check. */
function useConfirmSend(): (warnings: readonly string[]) => Promise<boolean> {
  const t = useText('composer');
  const tagless = useTagless();
  const { values, type } = useDraft();
  const autoSummary = useAutoSummary();
  const people = usePeople();
  const variants = values.test.on ? values.test.variants : [];
  const subjects = [values.subject, ...variants.map(({ subject }) => subject || values.subject)];
  if (type === 'auto')
    return (warnings) =>
      confirm({
        title: t('startTitle'),
        figures: [],
        text: (
          <>
            {autoSummary}
            <Warnings texts={warnings} />
          </>
        ),
        action: t('start'),
      });
  return (warnings) =>
    confirm({
      title: t('sendTitle'),
      figures: people,
      text: (
        <>
          {subjects.map((subject, at) => (
            // Variants have no name but their place.
            // biome-ignore lint/suspicious/noArrayIndexKey: they are not moved here
            <Text key={at} span display="block" fw={500}>
              {subjects.length > 1 && `${variantName(at)} · `}
              {tagless(subject)}
            </Text>
          ))}
          {t('sendUndo', { seconds: undoSeconds })}
          <Warnings texts={warnings} />
        </>
      ),
      action: t('sendDo'),
    });
}

/** The warnings that the user confirms by sending or scheduling. */
function Warnings({ texts }: { texts: readonly string[] }) {
  const t = useText('composer');
  if (texts.length === 0) return null;
  return (
    <Stack gap="xs" mt="md">
      <Text fw={600}>{t('warnings', { count: texts.length })}</Text>
      <List size="sm" spacing="xs">
        {texts.map((text) => (
          <List.Item key={text}>{text}</List.Item>
        ))}
      </List>
    </Stack>
  );
}

/**
 * Checks what has just been saved. The function returns the texts of the warnings, or "stop", and shows why, when the
 * campaign cannot be sent.
 */
function useCheckNow(onFault: (fault: string | undefined) => void): () => Promise<string[] | 'stop'> {
  const t = useText('composer');
  const { cid } = useDraft();
  const textOf = useFindingText();
  const faultText = useFaultText();
  return async () => {
    try {
      const findings = asTreated(await call('campaignCheck', { cid }));
      const errors = findings.filter(({ level }) => level === 'error').length;
      if (errors === 0) return findings.filter(({ level }) => level === 'warning').map(textOf);
      onFault(t('errorsStop', { count: errors }));
    } catch (error) {
      onFault(faultText(error));
    }
    return 'stop';
  };
}

/** Shows the campaign after it was sent. A user who has gone to another screen within those seconds stays there. */
function useReturnToCampaign(): () => Promise<void> {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { cid } = useDraft();
  const mounted = useRef(false);
  useEffect(() => {
    mounted.current = true;
    return () => {
      mounted.current = false;
    };
  }, []);
  return async () => {
    // Checked first: this section unmounts once the campaign is no longer a draft.
    const hasLeft = !mounted.current;
    await invalidate(client, ['campaign']);
    if (!hasLeft) navigate({ to: '/campaigns/$id', params: { id: cid } });
  };
}

/** After an undo the button gets the focus back; until then the section is inert. */
function useFocusAfterUndo(leaving: boolean) {
  const button = useRef<HTMLButtonElement>(null);
  const undone = useRef(false);
  useEffect(() => {
    if (leaving || !undone.current) return;
    undone.current = false;
    button.current?.focus();
  }, [leaving]);
  const focusWhenBack = () => {
    undone.current = true;
  };
  return { button, focusWhenBack };
}
