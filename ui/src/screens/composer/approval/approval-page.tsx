// The page of the approver: who asks for what, what has changed, how the email looks, what the check found, comments, and the answer.
import { Alert, Button, Group, Select, Stack, Text, Textarea } from '@mantine/core';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { type ApiFault, call } from '../../../api/call.ts';
import { invalidate, useMethod } from '../../../api/use-method.ts';
import { FaultScreen, useFaultText } from '../../../parts/fault.tsx';
import { parseTime, useFormats } from '../../../parts/formats.ts';
import { LinkButton } from '../../../parts/link.tsx';
import { Lines } from '../../../parts/loaded.tsx';
import { Page, PageHeader } from '../../../parts/page.tsx';
import { Status } from '../../../parts/status/status.tsx';
import { Time, TimeIn } from '../../../parts/time.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { useAction } from '../../../parts/use-action.ts';
import { useText } from '../../../text/use-text.tsx';
import { VariantChoice } from '../ab-test/variant-choice.tsx';
import { CheckSection } from '../check-section.tsx';
import { DraftProvider, useDraft } from '../draft.tsx';
import { readDraft } from '../others/read-draft.ts';
import { MailFrame, textPage } from '../preview/mail-frame.tsx';
import { usePreviewControls } from '../preview/preview-controls.tsx';
import { Card } from '../review/review-page.tsx';
import { SentTable } from '../review/sent-table.tsx';
import classes from './approval.module.css';
import { Note } from './ask-section.tsx';
import { Changes } from './changes.tsx';
import { Comments } from './comments.tsx';
import type { Approval } from './use-approval.ts';

const route = getRouteApi('/shell/campaigns/$id/approval');

export function ApprovalScreen() {
  const t = useText('approval');
  const { id: cid } = route.useParams();
  const options = useMethod('campaignGet', { cid });
  const approval = useMethod('campaignApprovalGet', { cid, changes: true }, { keep: true });
  const initial = useQuery({
    // Read again with each version: the page shows what is approved.
    queryKey: ['composer', cid, 'approval', approval.data?.version],
    queryFn: () => readDraft(cid),
    enabled: approval.data !== undefined,
    gcTime: 0,
  });
  const error = initial.error ?? options.error ?? approval.error;
  if (error && !(initial.data && options.data && approval.data))
    return (
      <FaultScreen
        error={error as ApiFault}
        onRetry={() => void Promise.all([initial.refetch(), options.refetch(), approval.refetch()])}
      />
    );
  if (!initial.data || !options.data || !approval.data)
    return (
      <Page>
        <PageHeader title={t('title')} back={{ to: '/campaigns', label: t('back') }} />
        <Lines count={6} height={56} />
      </Page>
    );
  const { version } = approval.data;
  return (
    <DraftProvider key={`${cid} ${version}`} cid={cid} initial={initial.data} type={options.data.type} fixed>
      <Page>
        <PageHeader
          title={options.data.title || options.data.subject}
          status={<ApprovalStatus state={approval.data.state} />}
          back={{ to: '/campaigns', label: t('back') }}
          actions={
            <LinkButton to="/campaigns/$id/edit" params={{ id: cid }} variant="default">
              {t('edit')}
            </LinkButton>
          }
        />
        <Body approval={approval.data} />
      </Page>
    </DraftProvider>
  );
}

const tones = {
  none: 'still',
  asked: 'waiting',
  approved: 'good',
  changes: 'busy',
  refused: 'bad',
  withdrawn: 'still',
} as const;

export function ApprovalStatus({ state }: { state: Approval['state'] }) {
  const t = useText('approval');
  return <Status tone={tones[state]}>{t(`state.${state}`)}</Status>;
}

function Body({ approval }: { approval: Approval }) {
  const t = useText('approval');
  const composer = useText('composer');
  const { cid } = useDraft();
  const navigate = useNavigate();
  return (
    <div className={`${classes.page} in-order`}>
      <div className={classes.question}>
        <Question approval={approval} />
      </div>
      <div className={`${classes.email} in-order`}>
        {approval.changes.length > 0 && (
          <Card name="changes" title={t('changes')}>
            <Changes approval={approval} />
          </Card>
        )}
        <Card name="preview" title={composer('preview')}>
          <Preview />
        </Card>
      </div>
      <div className={`${classes.facts} in-order`}>
        <Card name="also" title={composer('alsoSent')}>
          <SentTable />
        </Card>
        <Card name="check" title={composer('check')}>
          <CheckSection onGo={() => navigate({ to: '/campaigns/$id/edit', params: { id: cid } })} />
        </Card>
        <Card name="comments" title={t('comments')}>
          <Comments />
        </Card>
        {approval.steps.length > 0 && (
          <Card name="steps" title={t('history')}>
            <Steps steps={approval.steps} />
          </Card>
        )}
      </div>
    </div>
  );
}

function Question({ approval }: { approval: Approval }) {
  const t = useText('approval');
  const formats = useFormats();
  const { state, asked_by: who, asked_at, note, wanted_time, answered_by, answer, reason } = approval;
  const at = parseTime(wanted_time);
  return (
    <Card name="question" title={t('title')}>
      <Stack gap="md">
        <div>
          {asked_at !== '' && (
            <Text>
              <TimeIn text={t('askedBy', { who: who || t('program') })} at={asked_at} />
            </Text>
          )}
          {state !== 'none' && (
            <Text c="dimmed">{at ? t('wantedAt', { time: formats.dateTime(at) }) : t('wantedNow')}</Text>
          )}
          {note && <Note>{note}</Note>}
        </div>
        {state === 'asked' ? (
          <Answer approval={approval} wantedAt={at} />
        ) : (
          <div>
            <Text>{t(`answer.${state}`, { who: answered_by })}</Text>
            {answer && <Note>{answer}</Note>}
            {state === 'withdrawn' && reason && <Note>{reason}</Note>}
          </div>
        )}
      </Stack>
    </Card>
  );
}

/** The three answers, for the people who may give them. */
function Answer({ approval, wantedAt }: { approval: Approval; wantedAt: Date | undefined }) {
  const t = useText('approval');
  const { cid } = useDraft();
  const client = useQueryClient();
  const navigate = useNavigate();
  const faultText = useFaultText();
  const [note, setNote] = useState('');
  const [fault, setFault] = useState<string>();
  const { data: options } = useMethod('campaignGet', { cid });
  const { busy, run } = useAction(async (error) => {
    setFault(faultText(error));
    // It was changed since, or another person has answered: what is shown is read again.
    await invalidate(client, ['campaign']);
  });
  if (!approval.may_approve)
    return <Text c="dimmed">{t('mayApprove', { names: approval.approvers.join(', ') || '–' })}</Text>;
  const isPast = wantedAt !== undefined && wantedAt.getTime() <= Date.now();
  const starts = options?.delivery_status === 'draft' && options.type_opts.event !== 'automation';
  const answer = (give: () => Promise<unknown>, done: string) =>
    run(async () => {
      setFault(undefined);
      await give();
      await invalidate(client, ['campaign', 'home']);
      toast.done(done);
      await navigate({ to: '/home' });
    });
  const approve = () =>
    answer(
      () => call('campaignApprove', { cid, version: approval.version, note, ...(isPast && { schedule_time: 'now' }) }),
      t(starts ? (wantedAt && !isPast ? 'approvedLater' : 'approvedNow') : 'approved'),
    );
  return (
    <Stack gap="md">
      {isPast && (
        <Alert color="yellow" variant="outline" icon={<IconAlertTriangle aria-hidden />}>
          {t('timePast')}
        </Alert>
      )}
      <Textarea
        label={t('answerNote')}
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
      <Group gap="xs">
        <Button leftSection={<IconCheck size={16} aria-hidden />} loading={busy} onClick={approve}>
          {t(!starts ? 'approve' : wantedAt && !isPast ? 'approveSchedule' : 'approveSend')}
        </Button>
        <Button
          variant="default"
          loading={busy}
          onClick={() => answer(() => call('campaignApprovalReturn', { cid, note }), t('returned'))}
        >
          {t('return')}
        </Button>
        <Button
          variant="default"
          loading={busy}
          onClick={() => answer(() => call('campaignApprovalRefuse', { cid, note }), t('refused'))}
        >
          {t('refuse')}
        </Button>
      </Group>
    </Stack>
  );
}

function Preview() {
  const composer = useText('composer');
  const { cid, type } = useDraft();
  const [variant, setVariant] = useState(0);
  const [part, setPart] = useState<string | null>(type === 'plain text' ? 'plain' : 'html');
  const { look, switches } = usePreviewControls();
  const { data } = useMethod('campaignPreview', { cid, variant }, { keep: true });
  if (!data) return <Lines />;
  return (
    <Stack gap="sm">
      <div>
        <Text fw={600} size="md">
          {data.subject}
        </Text>
        <Text c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {data.from_name} &lt;{data.from_email}&gt;
        </Text>
      </div>
      <Group gap="xs">
        <VariantChoice value={variant} onChange={setVariant} />
        {type !== 'plain text' && (
          <Select
            aria-label={composer('previewPart')}
            w={140}
            allowDeselect={false}
            data={[
              { value: 'html', label: composer('partHtml') },
              { value: 'plain', label: composer('partPlain') },
            ]}
            value={part}
            onChange={setPart}
          />
        )}
        {switches}
      </Group>
      <MailFrame
        html={part === 'html' && data.html !== '' ? data.html : textPage(data.plain)}
        title={composer('previewFrame')}
        {...look}
        height={640}
      />
    </Stack>
  );
}

function Steps({ steps }: { steps: Approval['steps'] }) {
  const t = useText('approval');
  const line = (children: ReactNode, key: string) => <li key={key}>{children}</li>;
  return (
    <ol className={classes.steps}>
      {steps.map(({ what, at, by, note }, n) =>
        line(
          <>
            <Text>
              {t(`step.${what}`, { who: by || t('program') })}{' '}
              <Text span c="dimmed">
                <Time at={at} />
              </Text>
            </Text>
            {note && <Note>{note}</Note>}
          </>,
          `${at} ${what} ${steps.length - n}`,
        ),
      )}
    </ol>
  );
}
