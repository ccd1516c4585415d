// In place of sending: asking for an approval, with a time and a note, and what became of it.
import { Alert, Button, Group, Radio, Stack, Text, Textarea } from '@mantine/core';
import { IconAlertCircle, IconClockPause, IconMessage, IconUserCheck } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../../../api/call.ts';
import { invalidate } from '../../../api/use-method.ts';
import { useFaultText } from '../../../parts/fault.tsx';
import { parseTime, useFormats } from '../../../parts/formats.ts';
import { toast } from '../../../parts/toast/toast.tsx';
import { useAction } from '../../../parts/use-action.ts';
import { useText } from '../../../text/use-text.tsx';
import { useFindings } from '../check-section.tsx';
import { useDraft } from '../draft.tsx';
import { asTreated } from '../findings.ts';
import { sendDay, TimeField } from '../send/late-time-field.tsx';
import { useAccountZone, useSaveAll } from '../send/saving.ts';
import { momentOf, scheduleTime } from '../send/zone-time.ts';
import type { Approval } from './use-approval.ts';

export function AskSection({ approval, onCheck }: { approval: Approval; onCheck(): void }) {
  const t = useText('approval');
  return (
    <Stack gap="md">
      <AnswerNote approval={approval} />
      {approval.state === 'asked' ? (
        <Waiting approval={approval} />
      ) : approval.state === 'approved' && !approval.changed ? (
        <Text c="dimmed">{t('othersSend')}</Text>
      ) : (
        <AskForm onCheck={onCheck} />
      )}
    </Stack>
  );
}

/** The last answer, if it was not an approval. */
function AnswerNote({ approval }: { approval: Approval }) {
  const t = useText('approval');
  const { state, answered_by: who, answer, reason } = approval;
  if (state === 'none' || state === 'asked') return null;
  const isGood = state === 'approved';
  return (
    <Alert
      color={isGood ? 'green' : 'yellow'}
      variant="outline"
      icon={isGood ? <IconUserCheck aria-hidden /> : <IconMessage aria-hidden />}
      role="status"
    >
      <Text>{t(`answer.${state}`, { who })}</Text>
      {(answer || (state === 'withdrawn' && reason)) && (
        <Text mt={4} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {state === 'withdrawn' ? reason : answer}
        </Text>
      )}
    </Alert>
  );
}

function Waiting({ approval }: { approval: Approval }) {
  const t = useText('approval');
  const formats = useFormats();
  const client = useQueryClient();
  const { cid } = useDraft();
  const { busy, run } = useAction();
  const at = parseTime(approval.wanted_time);
  const withdraw = () =>
    run(async () => {
      await call('campaignApprovalWithdraw', { cid });
      await invalidate(client, ['campaign']);
      toast.done(t('withdrawn'));
    });
  return (
    <>
      <Alert variant="outline" icon={<IconClockPause aria-hidden />} role="status">
        <Text>{t('waits', { who: approval.asked_by || t('program') })}</Text>
        <Text c="dimmed">{at ? t('wantedAt', { time: formats.dateTime(at) }) : t('wantedNow')}</Text>
        {approval.note && <Note>{approval.note}</Note>}
        <Text c="dimmed" mt={4}>
          {t('mayApprove', { names: approval.approvers.join(', ') })}
        </Text>
        {approval.changed && <Text mt={4}>{t('changedSinceAsked')}</Text>}
      </Alert>
      <Group>
        <Button variant="default" loading={busy} onClick={withdraw}>
          {t('withdraw')}
        </Button>
      </Group>
    </>
  );
}

export const Note = ({ children }: { children: ReactNode }) => (
  <Text mt={4} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
    {children}
  </Text>
);

function AskForm({ onCheck }: { onCheck(): void }) {
  const t = useText('approval');
  const composer = useText('composer');
  const client = useQueryClient();
  const faultText = useFaultText();
  const zone = useAccountZone();
  const { cid, type, fixed, isConnected } = useDraft();
  const [when, setWhen] = useState('now');
  const [time, setTime] = useState('');
  const [note, setNote] = useState('');
  const [fault, setFault] = useState<string>();
  const [timeFault, setTimeFault] = useState<string>();
  const saveAll = useSaveAll(setFault);
  const { busy, run } = useAction((error) => setFault(faultText(error)));
  const findings = useFindings();
  const errors = asTreated(findings.data ?? []).filter(({ level }) => level === 'error').length;
  const later = when === 'later' && type !== 'auto';
  const ask = () => {
    const at = later ? momentOf(time, zone) : undefined;
    if (later && (!at || at.getTime() <= Date.now())) {
      setTimeFault(composer(at ? 'timePast' : 'timeMissing'));
      document.getElementById(sendDay)?.focus();
      return;
    }
    void run(async () => {
      if (!(await saveAll())) return;
      await call('campaignApprovalAsk', { cid, note, ...(at && { schedule_time: scheduleTime(at) }) });
      await invalidate(client, ['campaign']);
      toast.done(t('asked'));
    });
  };
  return (
    <>
      {errors > 0 && (
        <Alert color="red" variant="outline" icon={<IconAlertCircle aria-hidden />}>
          <Group justify="space-between" gap="sm">
            <Text>{t('errorsStop', { count: errors })}</Text>
            <Button size="xs" variant="default" onClick={onCheck}>
              {composer('seeErrors')}
            </Button>
          </Group>
        </Alert>
      )}
      <Text>{t('askAbout')}</Text>
      {type !== 'auto' && (
        <Radio.Group label={composer('when')} value={when} onChange={setWhen}>
          <Stack gap="sm" mt="sm">
            <Radio value="now" label={t('whenApproved')} />
            <Radio value="later" label={composer('whenLater')} />
          </Stack>
        </Radio.Group>
      )}
      {later && (
        <TimeField
          time={time}
          onTime={(next) => {
            setTime(next);
            setTimeFault(undefined);
          }}
          zone={zone}
          fault={timeFault}
          disabled={fixed}
        />
      )}
      <Textarea
        label={t('note')}
        description={t('noteHint')}
        autosize
        minRows={2}
        maxRows={8}
        maxLength={2_000}
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
      />
      {fault && (
        <Text c="var(--mantine-color-error)" role="alert">
          {fault}
        </Text>
      )}
      <Group>
        <Button loading={busy} disabled={fixed || errors > 0 || !isConnected} onClick={ask}>
          {t('ask')}
        </Button>
      </Group>
    </>
  );
}
