// One automation: what starts it, its steps from top to bottom with their figures, and its rules. Each change is saved as soon as
// it is made; Start or Publish puts what is shown in force.
import { Alert, Button, Text } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useRef, useState } from 'react';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { useCopyTo } from '../../parts/copy-to/use-copy-to.tsx';
import { useFormats } from '../../parts/formats.ts';
import { Marks, useArrangeItems } from '../../parts/labels/arranging.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { ObjectMenu } from '../../parts/object-menu.tsx';
import { Page, PageHeader } from '../../parts/page.tsx';
import { Stat, Stats } from '../../parts/stat/stat.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useSession } from '../../session/session.ts';
import { asSentence } from '../../text/as-sentence.ts';
import { useText } from '../../text/use-text.tsx';
import { Conversions } from '../report/conversions.tsx';
import { AutomationStatus } from './automation-status.tsx';
import { replaced } from './edit/edit-steps.ts';
import { type Leave, OpenForm } from './edit/open-form.ts';
import { Flow } from './flow/flow.tsx';
import { Rules } from './rules.tsx';
import { asInfo, asParams, type Changes, everyStep, type Info, isSend } from './types.ts';

const StartDialog = lazy(() => import('./start-dialog.tsx'));
const EmailPanel = lazy(() => import('./email/email-panel.tsx'));
const RehearsalPanel = lazy(() => import('./rehearsal/rehearsal-panel.tsx'));
const ContactsPanel = lazy(() => import('./contacts-panel.tsx'));

const route = getRouteApi('/shell/automations/$id');

export function AutomationScreen() {
  const { id } = route.useParams();
  const query = useMethod('automationGet', { id }, { refetchInterval: 5_000 });
  return (
    <Page>
      <Loaded query={query}>{(answer) => <Automation info={asInfo(answer)} />}</Loaded>
    </Page>
  );
}

function Automation({ info }: { info: Info }) {
  const t = useText('automations');
  const mayWrite = useSession().may('campaigns:write');
  const update = useMutate('automationUpdate');
  const [shown, setShown] = useState<string>();
  const [step, setStep] = useShownStep();
  const form = useRef<Leave>(undefined);
  const [open, setOpen] = useState<string>();
  const leave = async () => (await form.current?.()) ?? true;
  /** For what looks at the whole automation. */
  const leaveAll = async () => {
    if (!(await leave())) return false;
    setOpen(undefined);
    if (step !== undefined) setStep(undefined);
    return true;
  };
  const email = everyStep(info.steps)
    .filter(isSend)
    .find(({ key }) => key === step);
  const save = (changes: Changes) => update.mutateAsync(asParams(info.id, changes));
  return (
    <>
      <PageHeader
        title={info.title}
        status={
          <>
            <AutomationStatus status={info.status} />
            <Marks of={info} />
          </>
        }
        description={t('ofList', { list: info.list_name })}
        back={{ to: '/automations', label: t('title') }}
        actions={<Actions info={info} leave={leaveAll} onEmail={setStep} />}
      />
      <Notes info={info} />
      {info.version > 0 && <Figures info={info} onShow={() => setShown('')} />}
      <Conversions figures={info.conversions} together />
      <OpenForm value={form}>
        <Flow
          info={info}
          save={save}
          mayWrite={mayWrite}
          leave={leave}
          onShow={setShown}
          onEmail={setStep}
          emailStep={email?.key}
          email={
            email && (
              <Suspense key={email.key}>
                <EmailPanel
                  info={info}
                  step={email}
                  mayWrite={mayWrite}
                  onSave={(next) => save({ steps: replaced(info.steps, email.key, next) })}
                  onClose={() => setStep(undefined)}
                />
              </Suspense>
            )
          }
          open={open}
          onOpen={setOpen}
        />
      </OpenForm>
      <Rules info={info} save={save} mayWrite={mayWrite} />
      {shown !== undefined && (
        <Suspense>
          <ContactsPanel id={info.id} step={shown} onClose={() => setShown(undefined)} />
        </Suspense>
      )}
    </>
  );
}

/** What became of its contacts. @param onShow shows those in it */
function Figures({ info: { figures }, onShow }: { info: Info; onShow(): void }) {
  const t = useText('automations');
  const { number } = useFormats();
  const left = figures.unsubscribed + figures.deleted + figures.removed;
  return (
    <Stats label={t('figures')}>
      <Stat label={t('entered')} value={number(figures.entered)} />
      <Stat
        label={t('inside')}
        value={
          figures.waiting === 0 ? (
            0
          ) : (
            <Button
              variant="transparent"
              p={0}
              h="auto"
              fz="inherit"
              fw="inherit"
              lh="inherit"
              c="inherit"
              onClick={onShow}
            >
              {number(figures.waiting)}
            </Button>
          )
        }
      />
      <Stat label={t('completed')} value={number(figures.passed)} />
      <Stat label={t('reachedGoal')} value={number(figures.goal)} />
      <Stat label={t('leftEarly')} value={number(left)} />
    </Stats>
  );
}

/** The step whose email is shown: in the address, so that the editor leads back to it. */
function useShownStep() {
  const { step } = route.useSearch();
  const navigate = useNavigate();
  const setStep = (key: string | undefined) =>
    void navigate({
      to: '.',
      replace: true,
      resetScroll: false,
      search: (before: Record<string, unknown>) => ({ ...before, step: key }),
    });
  return [step, setStep] as const;
}

function Notes({ info }: { info: Info }) {
  const t = useText('automations');
  const general = info.problems.filter(({ step }) => step === '');
  return (
    <>
      {info.status_reason !== '' && (
        <Alert color="orange" variant="outline" icon={<IconAlertCircle aria-hidden />} role="status">
          <Text size="sm">{t('pausedBecause', { reason: info.status_reason })}</Text>
        </Alert>
      )}
      {general.length > 0 && info.trigger !== null && info.steps.length > 0 && (
        <Alert color="orange" variant="outline" icon={<IconAlertCircle aria-hidden />} role="status">
          <Text size="sm">{general.map(({ problem }) => asSentence(problem)).join(' ')}</Text>
        </Alert>
      )}
      {info.late > 0 && (
        <Text size="sm" c="dimmed" role="status">
          {t('late', { count: info.late })}
        </Text>
      )}
      {info.has_changes && (
        <Text size="sm" c="dimmed" role="status">
          {t('hasChanges', { count: info.figures.waiting })}
        </Text>
      )}
    </>
  );
}

function Actions({ info, leave, onEmail }: { info: Info; leave: Leave; onEmail(step: string): void }) {
  const t = useText('automations');
  const session = useSession();
  const start = useMutate('automationStart', ['campaign']);
  const pause = useMutate('automationPause');
  const move = useMutate('automationMoveContacts');
  const remove = useMutate('automationDelete');
  const failed = { onError: (error: unknown) => toast.failed(error) };
  const [rehearsing, setRehearsing] = useState(false);
  const toAccount = useCopyTo({ kind: 'automation', id: info.id, name: info.title });
  const arrange = useArrangeItems('automation');
  const [starting, setStarting] = useState(false);
  const isStarted = info.status === 'active';
  const startAction = t(isStarted ? 'publish' : info.version > 0 ? 'resume' : 'start');
  const startNow = () =>
    start.mutate(
      { id: info.id },
      {
        ...failed,
        onSuccess: () => {
          setStarting(false);
          toast.done(t('started'));
        },
      },
    );
  const moveContacts = () =>
    move.mutate({ id: info.id }, { ...failed, onSuccess: (done) => toast.done(t('moved', { count: done.moved })) });
  return (
    <>
      {toAccount.dialog}
      {session.may('campaigns:send') && info.steps.length > 0 && (
        <Button variant="default" onClick={async () => (await leave()) && setRehearsing(true)}>
          {t('rehearse')}
        </Button>
      )}
      {arrange.dialog}
      {rehearsing && (
        <Suspense>
          <RehearsalPanel info={info} onClose={() => setRehearsing(false)} />
        </Suspense>
      )}
      {session.may('campaigns:send') && isStarted && (
        <Button variant="default" loading={pause.isPending} onClick={() => pause.mutate({ id: info.id }, failed)}>
          {t('pause')}
        </Button>
      )}
      {session.may('campaigns:send') && (!isStarted || info.has_changes) && (
        <Button
          variant={info.problems.length > 0 ? 'default' : 'filled'}
          onClick={async () => (await leave()) && setStarting(true)}
        >
          {startAction}
        </Button>
      )}
      {session.may('campaigns:write') && (
        <ObjectMenu
          items={[
            info.version > 1 && session.may('campaigns:send') && { label: t('moveContacts'), act: moveContacts },
            toAccount.item,
            ...arrange.items({ ...info, name: info.title }),
          ]}
          removal={{
            title: t('confirmDelete', { title: info.title }),
            text: t('confirmDeleteText'),
            figures: [{ value: String(info.figures.waiting), label: t('inside') }],
            action: t('delete'),
            remove: () => remove.mutateAsync({ id: info.id }),
            done: t('deleted'),
            backTo: '/automations',
          }}
        />
      )}
      {starting && (
        <Suspense>
          <StartDialog
            info={info}
            busy={start.isPending}
            action={startAction}
            onStart={startNow}
            onClose={() => setStarting(false)}
            onEmail={(step) => {
              setStarting(false);
              onEmail(step);
            }}
          />
        </Suspense>
      )}
    </>
  );
}
